package document

import "github.com/invopop/jsonschema"

// Test is a contract test of a recipe, a file that ends with .test.yaml.
type Test struct {
	// The recipe under test: a name, or a path that starts with ./ and is
	// relative to this file.
	Recipe Text `json:"recipe"`
	// What the tests are about, for people.
	Description Text `json:"description,omitempty"`
	// Variables for every case.
	Context Values `json:"context,omitempty"`
	// Stubs for every case.
	Stubs Stubs `json:"stubs,omitempty"`
	// Environment variables for every case.
	Env map[string]Text `json:"env,omitempty"`
	// Bounds each case; 2m where it is not given.
	Timeout Duration `json:"timeout,omitempty"`
	// The runs of the recipe, each with what it must give.
	Cases []Case `json:"cases"`
}

// JSONSchemaExtend demands a case.
func (Test) JSONSchemaExtend(s *jsonschema.Schema) {
	one := uint64(1)
	if cases, ok := s.Properties.Get("cases"); ok {
		cases.MinItems = &one
	}
}

// Case is one run of the recipe, in a folder of its own.
type Case struct {
	// The name of the case, its own in the file.
	Name Text `json:"name"`
	// Variables that the run is started with.
	Context Values `json:"context,omitempty"`
	// What stands in for the work of steps, by step id or recipe/step.
	Stubs Stubs `json:"stubs,omitempty"`
	// Makes the working folder a git repository.
	Git *Git `json:"git,omitempty"`
	// Files of the working folder; in a repository they are not committed.
	Files map[string]Text `json:"files,omitempty"`
	// What a scripted agent answers, call by call; one answer alone serves every
	// call. Without it no agent is configured.
	Agents Answers `json:"agents,omitempty"`
	// Environment variables for the run.
	Env map[string]Text `json:"env,omitempty"`
	// Further flags of brickoven run, such as --include-tags.
	Flags Texts `json:"flags,omitempty"`
	// Bounds the case.
	Timeout Duration `json:"timeout,omitempty"`
	// What the run must give. Something must be expected.
	Expect Expect `json:"expect"`
}

// Stubs stand in for steps.
type Stubs map[string]Stub

// JSONSchema allows a text or a mapping for each step.
func (Stubs) JSONSchema() *jsonschema.Schema {
	stub := either(types("string", "number", "boolean"), &jsonschema.Schema{Ref: "#/$defs/Stub"})
	return &jsonschema.Schema{Type: "object", AdditionalProperties: stub}
}

// Stub stands in for the work of one step.
type Stub struct {
	// What the step prints; other values than texts are printed as JSON.
	Output Value `json:"output,omitempty"`
	// What the step prints, call by call.
	Outputs []any `json:"outputs,omitempty"`
	// The exit code of the step.
	ExitCode int `json:"exit_code,omitempty" jsonschema:"minimum=0,maximum=255"`
	// What the step prints on standard error; it fails the step.
	Error Text `json:"error,omitempty"`
	// A command that runs in the step's place.
	Command Text `json:"command,omitempty"`
}

// Git describes a scratch repository.
type Git struct {
	// The commits, oldest first. One empty commit is made where there is none.
	Commits []Commit `json:"commits,omitempty"`
	// Changes that are not committed: the new text of each file, or null to
	// remove it.
	Changes Files `json:"changes,omitempty"`
	// Changes that are staged and not committed.
	Staged Files `json:"staged,omitempty"`
	// The branch that is checked out; main where it is not given.
	Branch Text `json:"branch,omitempty"`
}

// Commit is one commit of a scratch repository.
type Commit struct {
	// The message of the commit.
	Message Text `json:"message,omitempty"`
	// The new text of each file, or null to remove it.
	Files Files `json:"files,omitempty"`
	// A tag for the commit, so that variables can name it.
	Tag Text `json:"tag,omitempty"`
}

// Files are texts by path.
type Files map[string]string

// JSONSchema allows null for a file that is removed.
func (Files) JSONSchema() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "object", AdditionalProperties: types("string", "number", "boolean", "null")}
}

// Answers are what a scripted agent says.
type Answers []Answer

// JSONSchema allows one answer or a list.
func (Answers) JSONSchema() *jsonschema.Schema {
	answer := either(types("string"), &jsonschema.Schema{Ref: "#/$defs/Answer"})
	return either(types("string"), list(answer), &jsonschema.Schema{Ref: "#/$defs/Answer"})
}

// Answer is what a scripted agent does in one call.
type Answer struct {
	// What the agent answers; other values than texts are printed as JSON.
	Output Value `json:"output,omitempty"`
	// The exit code of the agent.
	ExitCode int `json:"exit_code,omitempty" jsonschema:"minimum=0,maximum=255"`
	// What the agent prints on standard error.
	Error Text `json:"error,omitempty"`
	// A shell command that does the agent's work before it answers.
	Command Text `json:"command,omitempty"`
	// What the prompt must be; see the matchers.
	Prompt Matchers `json:"prompt,omitempty"`
}

// Expect is what a run must give. Everything that is written must hold.
type Expect struct {
	// The exit code of the run.
	ExitCode *int `json:"exit_code,omitempty"`
	// How the run ended: success, degraded, failed, interrupted or refused.
	Status Text `json:"status,omitempty"`
	// How each of these steps ended: completed, skipped, failed, degraded, or
	// not_run for one that must not have been reached. Steps of called recipes
	// are written as caller/step.
	Steps map[string]StepStatus `json:"steps,omitempty"`
	// Variables at the end, by path; see the matchers.
	Variables map[string]Matchers `json:"variables,omitempty"`
	// Files of the working folder, by path; see the matchers.
	Files map[string]Matchers `json:"files,omitempty"`
	// Steps that must not have done their work.
	MustNotRun Texts `json:"must_not_run,omitempty"`
	// What the run prints on standard error.
	Stderr Matchers `json:"stderr,omitempty"`
	// How often the scripted agent is asked.
	AgentCalls *int `json:"agent_calls,omitempty"`
}

// StepStatus is how a step ended.
type StepStatus string

// JSONSchema lists the words.
func (StepStatus) JSONSchema() *jsonschema.Schema {
	return &jsonschema.Schema{Enum: []any{"completed", "skipped", "failed", "degraded", "not_run"}}
}

// Matchers say what a value must be: the value itself, or a mapping of equals,
// contains, not_contains, matches and absent.
type Matchers struct{}

// JSONSchema allows a value or a mapping of matchers.
func (Matchers) JSONSchema() *jsonschema.Schema {
	return either(types("string", "number", "boolean", "null", "array"), &jsonschema.Schema{Ref: "#/$defs/Matcher"})
}

// Matcher is a mapping of what must hold for a value.
type Matcher struct {
	// The value, compared as in conditions; texts are compared without trailing
	// line ends.
	Equals Value `json:"equals,omitempty"`
	// A text that the value holds, or a list of them.
	Contains Texts `json:"contains,omitempty"`
	// A text that the value does not hold, or a list of them.
	NotContains Texts `json:"not_contains,omitempty"`
	// A regular expression (RE2) that finds something in the value, or a list.
	Matches Texts `json:"matches,omitempty"`
	// Whether the value must not be there at all.
	Absent Flag `json:"absent,omitempty"`
}
