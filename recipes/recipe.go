// Package recipes is the recipe document: its types, reading it with line
// numbers, inheritance, finding a recipe by name and resolving the whole tree
// of recipes that a run may enter.
//
// A resolved tree is immutable: the runner, the executor and the reports read
// the same one at the same time.
package recipes

import (
	"github.com/brickoven/brickoven/recipes/expression"
	"github.com/brickoven/brickoven/recipes/template"
	"gopkg.in/yaml.v3"
)

// Recipe is one recipe document.
type Recipe struct {
	// Name identifies the recipe; other recipes call it by this name.
	Name string
	// Description says what the recipe does, for list, show and explain.
	Description string
	Version     string
	Author      string
	Tags        []string
	// Context holds the default of each variable, in the order of the file.
	Context []Variable
	// Inputs declares variables with their types; see [Input].
	Inputs []Input
	// Validation is the older form of the same check, by variable name.
	Validation []Validation
	// Env is added to the environment of every step of this recipe, in the
	// order of the file; values are templates.
	Env []EnvEntry
	// Secrets names environment variables whose values are masked everywhere.
	Secrets   []string
	Recursion Recursion
	Hooks     Hooks
	// Extends names the parent recipe; empty once the parent is merged in.
	Extends  string
	Defaults Defaults
	// DefaultStepTimeout bounds the shell and agent steps of this recipe that
	// set no timeout of their own; zero means unbounded.
	DefaultStepTimeout Duration
	// MaxParallel bounds how many steps of this recipe run at once; zero means
	// unbounded.
	MaxParallel int
	// Strict makes unknown names and unknown keys errors.
	Strict bool
	Output *Report
	Steps  []*Step
	// Finally holds the steps that run at the end whatever happened.
	Finally []*Step
	// Agents defines or overrides agent presets for this recipe, and says how its
	// agent steps wait.
	Agents map[string]any

	// MaxEnvBytes bounds what variables may take of a step's environment in all;
	// zero: the default budget (DESIGN section 6).
	MaxEnvBytes int

	// Source is where the recipe was read from.
	Source Source
	// Warnings were found while reading the document.
	Warnings []*Finding

	agentsNode *yaml.Node // nil without agents:

	doc    *document
	id     string // of the source
	inline bool   // made of the steps: of a loop; the document is that of another recipe
	// choosing tells that a variable names a recipe that it calls, or that one
	// below it calls.
	choosing bool
	// fields are the places outside the steps that read variables.
	fields []*field
}

// Variable is a context default.
type Variable struct {
	Name  string
	Value any
	Pos   Position
}

// EnvEntry is one variable of an env: map.
type EnvEntry struct {
	Name  string
	Value *template.Template
	Pos   Position
}

// Input declares one variable of the recipe (issue: the recipe document).
type Input struct {
	Name        string
	Type        string // string, number, boolean, choice, json; empty: documentation only
	Options     []string
	Required    bool
	Default     any
	HasDefault  bool
	Description string
	Pos         Position
}

// Validation is an entry of context_validation: nonempty, git_repo, path or
// optional.
type Validation struct {
	Name string
	Rule string
	Pos  Position
}

// Recursion bounds composition. The limits of the outermost recipe count.
type Recursion struct {
	MaxDepth      int // default 6
	MaxTotalSteps int // default 200
}

// The limits of composition where the outermost recipe sets none.
const (
	DefaultMaxDepth      = 6
	DefaultMaxTotalSteps = 200
)

// Hooks are shell commands around every step of the recipe.
type Hooks struct {
	PreStep  *Command
	PostStep *Command
	OnError  *Command
}

// Defaults apply to the steps of this recipe that do not say otherwise.
type Defaults struct {
	Shell Shell
}

// Report describes the final report that a run prints.
type Report struct {
	Format   string // text, json or markdown
	Template *template.Template
}

// Type is what kind of work a step is.
type Type string

// The step types.
const (
	Bash   Type = "bash"
	Agent  Type = "agent"
	Call   Type = "recipe"
	Native Type = "native"
	Loop   Type = "loop"
)

// Step is one step of a recipe. Fields that a step does not use are zero.
type Step struct {
	ID          string
	Name        string
	Description string
	Type        Type

	Command *Command // bash
	Shell   Shell    // empty: the recipe's default, else bash

	Persona string             // agent: the persona, ns:role
	CLI     string             // agent: the agent CLI's preset
	Prompt  *template.Template // agent
	Model   *template.Template // agent; nil: the CLI's own
	Mode    string             // agent; passed on to the preset
	Files   []*template.Template
	// MaxBytes bounds Files together; zero: the default.
	MaxBytes int
	Session  string // the name of the conversation to go on with; empty: none
	// ContinueSession goes on with the step's own conversation in each round.
	ContinueSession bool
	// InheritUserConfig lets the user's own settings of the CLI count; nil leaves
	// it to agents:.
	InheritUserConfig *bool

	Recipe string // recipe, loop: the name or path as written, or as Chosen had it
	// Chosen is the variable that names the recipe, and empty where the name is
	// written. The variable has to have its value when the run starts.
	Chosen  string
	Context []Argument
	Outputs *Outputs
	Child   *Recipe // recipe, loop: the resolved recipe; nil: see Missing
	Missing error   // recipe: why the recipe could not be resolved

	Uses string // native: the function's name

	Output            string // the variable that takes the step's output
	Condition         *expression.Program
	ParseJSON         bool
	ParseJSONRequired bool
	RequireField      string
	// OutputSchema is a JSON Schema as a value; a file is read when the tree is
	// resolved. nil means none.
	OutputSchema any

	WorkingDir *template.Template // nil: the run's working directory
	Env        []EnvEntry
	Stdin      *template.Template // nil: /dev/null

	Timeout     Duration // zero: unbounded
	IdleTimeout Duration // zero: unbounded
	Retry       *Retry   // nil: one attempt
	OnInterrupt string   // rerun (also when empty), fail or skip
	// Tolerate makes a failure of the step not stop the recipe
	// (continue_on_error: true, fatal: false, nonfatal: true).
	Tolerate bool

	ParallelGroup string
	DependsOn     []string
	Foreach       *template.Template
	As            string // the element's name; item when empty
	Parallel      int    // foreach: elements at once; 0 and 1 mean one
	Collect       string
	WhenTags      []string

	AutoStage         bool
	RecoveryOnFailure bool
	MaxEnvValueBytes  int // zero: the default budget
	AllowReparse      bool
	Detach            bool

	// Loop is what a loop step repeats; nil for every other step.
	Loop *LoopSpec

	Pos Position

	doc         *document // the document that the step was written in
	node        *yaml.Node
	idNode      *yaml.Node
	recipeNode  *yaml.Node
	dependsNode *yaml.Node
	schemaFile  spot
	fields      []*field
	reads       []string // what its work reads; see Reads
}

// Argument is one entry of a recipe step's context: a value whose strings are
// templates, at every depth.
type Argument struct {
	Name  string
	Value any // strings are *template.Template; lists and maps as in value
	Pos   Position
}

// Outputs selects and renames what comes back from a called recipe. nil means
// all outputs under their own names.
type Outputs struct {
	// Pairs maps the caller's name to the child's, in the order of the file.
	Pairs []Rename
}

// Rename takes the child's output Child into the caller's variable Name.
type Rename struct{ Name, Child string }

// Retry says how often and when a failed attempt is repeated.
type Retry struct {
	Attempts int      // in all, the first included
	Delay    Duration // before the second attempt
	Backoff  float64  // factor from one delay to the next; 1 when zero
	MaxDelay Duration // zero: unbounded
	OnExit   []int    // exit codes that are retried; empty: all
}

// Shell is the interpreter of a command: empty for bash, or an argument list.
type Shell []string
