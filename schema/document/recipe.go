package document

import "github.com/invopop/jsonschema"

// Recipe is a recipe of brickoven: steps that run in order, in groups or as a
// graph, and the variables that they share.
type Recipe struct {
	// The name under which other recipes call this one.
	Name Text `json:"name"`
	// What the recipe does, for list, show and explain.
	Description Text `json:"description,omitempty"`
	// The version of the recipe, for people.
	Version Text `json:"version,omitempty"`
	// Who wrote the recipe, for people.
	Author Text `json:"author,omitempty"`
	// Words to group recipes by, for people.
	Tags Texts `json:"tags,omitempty"`
	// Variables with their defaults. A caller's values win over them.
	Context Values `json:"context,omitempty"`
	// The older form of inputs: which variables must be there, and as what.
	ContextValidation map[string]Rules `json:"context_validation,omitempty"`
	// Variables that the recipe takes, with their types. Missing and mistyped
	// ones stop the run before the first step. A list whose entries have neither
	// type nor required only documents.
	Inputs Inputs `json:"inputs,omitempty"`
	// Environment variables for every step of this recipe.
	Env Environment `json:"env,omitempty"`
	// Names of environment variables whose values are masked in all output.
	Secrets Texts `json:"secrets,omitempty"`
	// Limits of composition. Those of the outermost recipe count.
	Recursion *Recursion `json:"recursion,omitempty"`
	// Shell commands around every step.
	Hooks *Hooks `json:"hooks,omitempty"`
	// The recipe that this one inherits steps, context, hooks and defaults from.
	Extends Text `json:"extends,omitempty"`
	// What holds for steps that do not say otherwise.
	Defaults *Defaults `json:"defaults,omitempty"`
	// Bounds the shell and agent steps of this recipe that set no timeout.
	DefaultStepTimeout Duration `json:"default_step_timeout,omitempty"`
	// At most this many steps of this recipe run at once.
	MaxParallel Count `json:"max_parallel,omitempty"`
	// The most bytes that variables take in a step's environment; what exceeds
	// it moves into files.
	MaxEnvBytes Count `json:"max_env_bytes,omitempty"`
	// Makes unknown names and unknown keys errors.
	Strict Flag `json:"strict,omitempty"`
	// The report that is printed after the run.
	Output *Report `json:"output,omitempty"`
	// What the recipe does.
	Steps []Step `json:"steps,omitempty"`
	// Steps that run at the end whatever happened; they see run.status,
	// run.reason and run.failed_step.
	Finally []Step `json:"finally,omitempty"`
	// Presets of agent CLIs for this recipe.
	Agents Values `json:"agents,omitempty"`
}

// JSONSchemaExtend demands steps, of its own or of a parent.
func (Recipe) JSONSchemaExtend(s *jsonschema.Schema) {
	one := uint64(1)
	if steps, ok := s.Properties.Get("steps"); ok {
		steps.MinItems = &one
	}
	s.AnyOf = []*jsonschema.Schema{{Required: []string{"steps"}}, {Required: []string{"extends"}}}
	nullable(s, "steps", "finally", "recursion", "hooks", "defaults", "context_validation")
}

// nullable lets keys of a mapping be written without a value. Descriptions stay
// on the key.
func nullable(s *jsonschema.Schema, keys ...string) {
	for _, key := range keys {
		if of, ok := s.Properties.Get(key); ok {
			text := of.Description
			of.Description = ""
			wrapped := orNull(of)
			wrapped.Description = text
			s.Properties.Set(key, wrapped)
		}
	}
}

// Rules are what must hold for one variable.
type Rules []string

// JSONSchema is one rule or a list of them.
func (Rules) JSONSchema() *jsonschema.Schema {
	rule := &jsonschema.Schema{Enum: []any{"nonempty", "git_repo", "path", "optional"}}
	return either(rule, list(rule))
}

// Inputs are declarations of variables: a mapping by name, or a list.
type Inputs []Input

// JSONSchema allows both forms and their short forms.
func (Inputs) JSONSchema() *jsonschema.Schema {
	input := &jsonschema.Schema{Ref: "#/$defs/Input"}
	byName := &jsonschema.Schema{Type: "object", AdditionalProperties: either(types("string", "null"), input)}
	listed := list(either(types("string"), &jsonschema.Schema{AllOf: []*jsonschema.Schema{input, {Required: []string{"name"}}}}))
	return either(byName, listed, null())
}

// Input declares one variable of a recipe.
type Input struct {
	// The variable, where inputs is a list.
	Name Text `json:"name,omitempty"`
	// The type of the value: string, number, boolean, choice or json. The names
	// of other dialects (int, bool, enum, object …) are understood.
	Type Text `json:"type,omitempty"`
	// The values that a choice allows.
	Options Texts `json:"options,omitempty"`
	// Whether a run without the variable is refused.
	Required Flag `json:"required,omitempty"`
	// The value where no one sets it.
	Default Value `json:"default,omitempty"`
	// What the variable means.
	Description Text `json:"description,omitempty"`
}

// Recursion limits how recipes call recipes.
type Recursion struct {
	// How deep recipes may call each other; 6 where not given.
	MaxDepth Count `json:"max_depth,omitempty"`
	// How many steps of the recipes as written may run in all, loop rounds and
	// foreach elements not counted; 200 where not given.
	MaxTotalSteps Count `json:"max_total_steps,omitempty"`
}

// Hooks are shell commands around every step. They get 30 seconds each, and a
// failing one warns.
type Hooks struct {
	// Runs before the step's condition is looked at.
	PreStep Template `json:"pre_step,omitempty"`
	// Runs after a step that did not fail.
	PostStep Template `json:"post_step,omitempty"`
	// Runs after a step that failed, tolerated or not.
	OnError Template `json:"on_error,omitempty"`
}

// Defaults hold for the steps of the recipe that do not say otherwise.
type Defaults struct {
	// The shell of the recipe's commands: bash, sh, builtin, or a list of a
	// program and its options.
	Shell Texts `json:"shell,omitempty"`
}

// Report is printed on standard output after the run.
type Report struct {
	// The format of the report: text, json or markdown.
	Format string `json:"format,omitempty" jsonschema:"enum=text,enum=json,enum=markdown"`
	// The text of the report, over the variables, run and steps.
	Template Template `json:"template,omitempty"`
}
