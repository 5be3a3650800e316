// Package contract is the contract test of a recipe: reading a *.test.yaml
// file, and comparing what a case expects with what a run gave. It runs
// nothing.
package contract

import (
	"time"

	"github.com/brickoven/brickoven/recipes"
)

// File is one file with contract tests. It is immutable once read.
type File struct {
	Path string
	// Recipe is the name of the recipe under test, or a path that starts with ./
	// and is relative to the file.
	Recipe      string
	Description string
	Cases       []*Case
}

// Case is one run of the recipe. What the file says for every case is merged
// in, with the case's own entries winning.
type Case struct {
	Name string
	Pos  recipes.Position
	// Context holds the variables that the run is started with.
	Context map[string]any
	// Stubs hold what stands in for steps, in the form of a stub file.
	Stubs map[string]any
	Git   *Git // nil: the working folder is no repository
	// Files are the texts of files in the working folder, by local path.
	Files map[string]string
	// Agents are the answers of the scripted agent; nil means that no agent is
	// configured.
	Agents []Answer
	// Every answers each call with the only answer there is.
	Every bool
	Env   map[string]string
	// Flags are further arguments of brickoven run.
	Flags   []string
	Timeout recipes.Duration // of the whole case
	Expect  Expect
}

// DefaultTimeout bounds a case that says nothing about it.
const DefaultTimeout = 2 * time.Minute

// Git describes a scratch repository.
type Git struct {
	Branch  string
	Commits []Commit
	// Changes and Staged are not committed; Staged are in the index.
	Changes, Staged Edits
}

// Commit is one commit of a scratch repository.
type Commit struct {
	Message string
	Files   Edits
	Tag     string // empty: none
}

// Edits are new texts of files by local path; nil removes the file.
type Edits map[string]*string

// Answer is what a scripted agent does in one call.
type Answer struct {
	Output   string
	ExitCode int
	Error    string
	// Command is run by bash in the step's folder before the answer is given.
	Command string
	// Prompt must hold for what the agent was asked.
	Prompt []Matcher
}

// Expect is what a run must give; nil fields and empty lists say nothing.
type Expect struct {
	ExitCode   *int
	Status     string
	Steps      []StepExpectation
	MustNotRun []string
	Variables  []Expectation
	Files      []Expectation
	Stderr     []Matcher
	AgentCalls *int
}

// NotRun is the status of a step that was never reached.
const NotRun = "not_run"

// StepExpectation is how a step must end.
type StepExpectation struct{ Step, Status string }

// Expectation is what must hold for the value at a path.
type Expectation struct {
	Path     string
	Matchers []Matcher
}

// Matcher is one demand on a value.
type Matcher struct {
	Kind Kind
	Want any // a value for Equals, a text for the others
}

// Kind is the kind of a matcher.
type Kind string

// The kinds of matchers. Absent takes no value: nothing is there, or null.
const (
	Equals      Kind = "equals"
	Contains    Kind = "contains"
	NotContains Kind = "not_contains"
	Matches     Kind = "matches"
	Absent      Kind = "absent"
	Present     Kind = "present"
)
