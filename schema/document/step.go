package document

import "github.com/invopop/jsonschema"

// Step is one step of a recipe: a shell command, an agent call, another recipe,
// a native function or a loop.
type Step struct {
	// The name of the step, its own in the whole recipe.
	ID Text `json:"id"`
	// A title for people.
	Name Text `json:"name,omitempty"`
	// What the step does, for people.
	Description Text `json:"description,omitempty"`
	// The kind of work. Where it is not given: uses → native, recipe → recipe,
	// agent → agent, prompt without command → agent, else bash.
	Type string `json:"type,omitempty" jsonschema:"enum=bash,enum=agent,enum=recipe,enum=native,enum=loop"`

	// The shell command of a bash step. A {{ }} placeholder is data wherever it
	// stands, never source.
	Command Template `json:"command,omitempty"`
	// The interpreter of the command: bash (the default), sh, builtin, or a list
	// such as [bash, -euo, pipefail] or [python3].
	Shell Texts `json:"shell,omitempty"`

	// The persona of an agent step, as namespace:role.
	Agent Text `json:"agent,omitempty"`
	// The preset of the agent CLI that answers.
	CLI Template `json:"cli,omitempty"`
	// What the agent is asked.
	Prompt Template `json:"prompt,omitempty"`
	// The model that the agent CLI is asked for.
	Model Template `json:"model,omitempty"`
	// The mode that is passed on to the agent CLI.
	Mode Text `json:"mode,omitempty"`
	// Files that are handed to the agent.
	Files Templates `json:"files,omitempty"`
	// The most bytes that all of the files together take in the prompt.
	MaxBytes Count `json:"max_bytes,omitempty"`
	// The name of a conversation that all steps with this name go on with.
	Session Text `json:"session,omitempty"`
	// Goes on with the step's own conversation in every round of a loop.
	ContinueSession Flag `json:"continue_session,omitempty"`
	// Lets the user's own settings of the agent CLI count: hooks, plugins, MCP
	// servers.
	InheritUserConfig Flag `json:"inherit_user_config,omitempty"`

	// The recipe that is called: a name, or a path that starts with ./ or /.
	Recipe Text `json:"recipe,omitempty"`
	// Variables for the called recipe, rendered at every depth.
	Context Values `json:"context,omitempty"`
	// The same as context.
	SubContext Values `json:"sub_context,omitempty"`
	// Which outputs of the called recipe come back: a mapping from our names to
	// its names, or a list of names. All of them where it is not given.
	Outputs Outputs `json:"outputs,omitempty"`

	// The native function that runs in process.
	Uses Text `json:"uses,omitempty"`

	// The variable that takes what the step printed.
	Output Text `json:"output,omitempty"`
	// The step runs only where this expression is true.
	Condition Template `json:"condition,omitempty"`
	// Finds JSON in the output, also inside prose.
	ParseJSON Flag `json:"parse_json,omitempty"`
	// Fails the step where no JSON is found; otherwise the text is kept and the
	// step is degraded.
	ParseJSONRequired Flag `json:"parse_json_required,omitempty"`
	// Takes the last object that has this field.
	RequireField Text `json:"require_field,omitempty"`
	// The JSON Schema that the output must fit, or the path of one.
	OutputSchema Schema `json:"output_schema,omitempty"`

	// The folder that the step runs in, relative to the run's working directory.
	WorkingDir Template `json:"working_dir,omitempty"`
	// Environment variables for this step.
	Env Environment `json:"env,omitempty"`
	// What the step reads on standard input; nothing where it is not given.
	Stdin Template `json:"stdin,omitempty"`

	// Bounds one attempt; it ends with code 124. Nothing is bounded by default.
	Timeout Duration `json:"timeout,omitempty"`
	// The same as timeout.
	TimeoutSeconds Duration `json:"timeout_seconds,omitempty"`
	// Bounds how long an attempt may stay silent.
	IdleTimeout Duration `json:"idle_timeout,omitempty"`
	// Repeats failed attempts: how many attempts in all, or a mapping.
	Retry Retries `json:"retry,omitempty"`
	// What a resumed run does with the step that was running: rerun, fail or skip.
	OnInterrupt string `json:"on_interrupt,omitempty" jsonschema:"enum=rerun,enum=fail,enum=skip"`
	// A failure of the step does not stop the recipe.
	ContinueOnError Flag `json:"continue_on_error,omitempty"`
	// false means the same as continue_on_error: true.
	Fatal Flag `json:"fatal,omitempty"`
	// The same as continue_on_error.
	Nonfatal Flag `json:"nonfatal,omitempty"`

	// Neighbouring steps with one group name run together.
	ParallelGroup Text `json:"parallel_group,omitempty"`
	// The steps that must have ended before this one starts.
	DependsOn Texts `json:"depends_on,omitempty"`
	// Runs the step for each element of this list.
	Foreach Template `json:"foreach,omitempty"`
	// The variable that holds the element of foreach; item where not given.
	As Text `json:"as,omitempty"`
	// The variable that takes the list of the outputs of foreach.
	Collect Text `json:"collect,omitempty"`
	// How many elements of foreach run at once.
	Parallel Count `json:"parallel,omitempty"`
	// The step runs only where --include-tags names one of these, or nothing.
	WhenTags Texts `json:"when_tags,omitempty"`

	// Runs git add -A after an agent step.
	AutoStage Flag `json:"auto_stage,omitempty"`
	// Asks the agent once to finish the work of a called recipe that failed.
	RecoveryOnFailure Flag `json:"recovery_on_failure,omitempty"`
	// The size in bytes above which a value moves from the environment to a file.
	MaxEnvValueBytes Count `json:"max_env_value_bytes,omitempty"`
	// Lets a second shell parse text that holds values.
	AllowReparse Flag `json:"allow_reparse,omitempty"`
	// Lets background children outlive the step.
	Detach Flag `json:"detach,omitempty"`

	// One round of a loop, written inline.
	Steps []Step `json:"steps,omitempty"`
	// The recipe that judges each round of a loop; it sets
	// loop_health.loop_verdict.
	Judge Text `json:"judge,omitempty"`
	// A command that must exit 0 before the DONE of a judge counts.
	Check Template `json:"check,omitempty"`
	// Where the judge finds the evidence of a round.
	Evidence *Evidence `json:"evidence,omitempty"`
	// What ends a loop beside its judge.
	Brakes *Brakes `json:"brakes,omitempty"`
	// The ledger contract that the loop works under.
	Contract Contract `json:"contract,omitempty"`
	// Commands that measure the contract's dimensions after a round.
	Measure map[string]Text `json:"measure,omitempty"`
	// Several recipes with a cadence, instead of one.
	Workflows Workflows `json:"workflows,omitempty"`
}

// demanded is the key that a step of a type cannot do without.
var demanded = []struct{ kind, key string }{
	{"bash", "command"}, {"agent", "prompt"}, {"recipe", "recipe"}, {"native", "uses"},
}

// JSONSchemaExtend demands the key that the type of the step works on.
func (Step) JSONSchemaExtend(s *jsonschema.Schema) {
	for _, d := range demanded {
		is := jsonschema.NewProperties()
		is.Set("type", &jsonschema.Schema{Const: d.kind})
		s.AllOf = append(s.AllOf, &jsonschema.Schema{
			If:   &jsonschema.Schema{Properties: is, Required: []string{"type"}},
			Then: &jsonschema.Schema{Required: []string{d.key}},
		})
	}
}

// Outputs select and rename what comes back from a called recipe.
type Outputs map[string]string

// JSONSchema allows a mapping or a list of names.
func (Outputs) JSONSchema() *jsonschema.Schema {
	renames := &jsonschema.Schema{Type: "object", AdditionalProperties: types("string")}
	return either(renames, list(types("string")), types("string", "null"))
}

// Schema is a JSON Schema, or the path of one.
type Schema struct{}

// JSONSchema allows a mapping or a path.
func (Schema) JSONSchema() *jsonschema.Schema { return types("object", "string") }

// Retries say how often a failed attempt is repeated.
type Retries struct{}

// JSONSchema allows the number of attempts alone.
func (Retries) JSONSchema() *jsonschema.Schema {
	return either(Count(0).JSONSchema(), &jsonschema.Schema{Ref: "#/$defs/Retry"})
}

// Retry says how often and when a failed attempt is repeated.
type Retry struct {
	// How many attempts in all, the first included.
	Attempts Count `json:"attempts,omitempty"`
	// The pause before the second attempt.
	Delay Duration `json:"delay,omitempty"`
	// The factor from one pause to the next.
	Backoff Factor `json:"backoff,omitempty"`
	// The longest pause.
	MaxDelay Duration `json:"max_delay,omitempty"`
	// The exit codes that are retried; all where it is not given.
	OnExit Codes `json:"on_exit,omitempty"`
}

// Codes is an exit code or a list of them.
type Codes []int

// JSONSchema is what the loader takes for exit codes.
func (Codes) JSONSchema() *jsonschema.Schema {
	code := &jsonschema.Schema{Type: "integer", Minimum: "0", Maximum: "255"}
	return either(code, list(code))
}
