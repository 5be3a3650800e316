// Package step is the vocabulary between the decisions (package runner) and
// whatever carries them out (package runner/local, or a test's executor): an
// [Action] goes out, its [Result] comes back inside an [Event].
//
// It holds types and nothing that acts. Everything here is immutable once it
// was handed over, so the two sides may run on different goroutines.
package step

import (
	"time"

	"github.com/brickoven/brickoven/recipes"
)

// Kind says what an action asks for.
type Kind string

// The kinds of action.
const (
	// Shell runs the step's command.
	Shell Kind = "shell"
	// Agent makes one call of an agent CLI.
	Agent Kind = "agent"
	// Native calls the function that the step uses.
	Native Kind = "native"
	// Hook runs a hook's command around a step.
	Hook Kind = "hook"
	// Stage runs git add -A in the step's working directory.
	Stage Kind = "stage"
	// Sleep waits for Delay, before another attempt.
	Sleep Kind = "sleep"
	// Wait waits until Due for an agent's fault or limit to pass, or until a
	// person says that it is time.
	Wait Kind = "wait"
	// Query answers a question over values too large to carry.
	Query Kind = "query"
	// Check tests the inputs of Callee against Vars, where that takes a look at
	// the file system.
	Check Kind = "check"
	// Session asks something of the session of a loop.
	Session Kind = "session"
	// Trees asks something of the work trees of a loop.
	Trees Kind = "trees"
	// Ledger asks something of the work ledger of a loop.
	Ledger Kind = "ledger"
)

// Action is one thing that the world must do.
type Action struct {
	// ID is unique in the run and the same in every replay of it: the path of
	// the step, what is done for it, and a count.
	ID   string
	Kind Kind
	// Path names the step from the root recipe down: outer/inner, with the
	// element's index for foreach: build[2].
	Path string
	// Def is the step as authored and Recipe the recipe it stands in; they say
	// command, prompt, shell, folder and limits.
	Def    *recipes.Step
	Recipe *recipes.Recipe
	// Vars are the variables that the action sees.
	Vars *View
	// Attempt counts from 1.
	Attempt int

	// Hook is the command of a Hook action and HookEnv what it gets beside the
	// variables: BRICKOVEN_STEP_ID, BRICKOVEN_STEP_STATUS, BRICKOVEN_STEP_ERROR.
	Hook    *recipes.Command
	HookEnv map[string]string
	// Prompt replaces the step's own prompt: a recovery, or the question for
	// JSON again after Answer did not hold any.
	Prompt string
	Answer string
	// Delay is the wait of a Sleep action.
	Delay time.Duration
	// Due is when a Wait action ends, and Reason what it waits for.
	Due    time.Time
	Reason string
	// Resume has the conversation that an agent call goes on with, by the name of
	// the agent; nil where it begins one.
	Resume map[string]Conversation
	// Question is what a Query action asks.
	Question Question
	// Callee is the recipe whose inputs a Check action tests.
	Callee *recipes.Recipe
	// Dirs are the folders of Trees, absolute or from the run's folder.
	Dirs []string
	// Tree is what a Trees action asks.
	Tree *TreeCall
	// Dir is a folder, absolute, that stands in place of the step's own.
	Dir string
	// Stale ends a process that has been silent for so long, with
	// [CauseStale]; zero is never.
	Stale time.Duration
	// Ledger is what a Ledger action asks.
	Ledger *LedgerCall
	// Session is what a Session action asks.
	Session *SessionCall
	// Tools asks for the tool calls of an agent while it works, in events of the
	// kind Used.
	Tools bool
	// Env is what the loops around the step add to its environment, and Loops
	// are their sessions, the outermost first.
	Env   map[string]string
	Loops []string
}

// Lookup finds a variable by its root name.
type Lookup func(name string) (v any, found bool)

// Question is a condition or template over variables. It is answered by the
// decisions themselves where the values are at hand, and by the executor where
// one of them is a [value.Ref]; both call Answer.
type Question interface {
	// Paths lists the dotted paths that Answer reads.
	Paths() []string
	// Inline tells that the value must come back by itself, however large,
	// because a decision depends on what is in it.
	Inline() bool
	// Answer gives the value, and what the author should be told about it.
	Answer(lookup Lookup) (v any, warnings []string, err error)
}
