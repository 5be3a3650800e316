// Package report says what happened in a run: how it ended and what to do now,
// the recipe's graph with the fate of each step, when each step ran, what a loop
// did round by round, and where time and money went.
//
// It is a model without any form: package report/page makes a page of it. A
// [Collector] is fed with the records of a journal and gives a [Run]; it opens
// no file by itself. What it gives is safe to be read by many at once.
package report

import (
	"time"

	"github.com/brickoven/brickoven/runner/step"
)

// Run is what is known of one run.
type Run struct {
	ID      string
	Recipe  string
	WorkDir string
	Host    string
	Version string // of the program that began the run
	// Started is when the run began; Last the time of its last record.
	Started, Last time.Time
	// Duration is from the start to the last record, or to now while it runs.
	Duration time.Duration
	// Attempt counts the processes that worked on the run.
	Attempt int
	End     End
	// Steps are the steps of the root recipe in the order they started.
	Steps []*Step
	// All holds every step of every depth, in the order they started.
	All   []*Step
	Loops []*Loop
	// Graph is the recipe with what became of its steps; nil where the recipe
	// is not known.
	Graph *Graph
	// Spent says where time and money went.
	Spent Spent
	// Events are what happened to the run from outside: resumes, signals,
	// stalls, refusals.
	Events []Event
	// Warnings are remarks for the author, each once.
	Warnings []Warning
	// Notices say what of the record could not be read.
	Notices []string
}

// Step is one step, one round or judgement of a loop, or one element of a
// foreach.
type Step struct {
	// Key is unique in the run and the same each time the report is made.
	Key string
	// Path names the step from the root recipe down, and Name is its last part.
	Path string
	Name string
	// Part says what part of its parent it is.
	Part Part
	// Depth is how many steps it lies in.
	Depth  int
	Type   string // bash, agent, recipe, native, loop; empty where not known
	Status Status
	// Tolerated tells that the failure did not stop the recipe.
	Tolerated bool
	Error     string
	ExitCode  int
	Cause     step.Cause
	Signal    string
	Attempts  int
	Started   time.Time
	// Duration is what the step took, up to now while it runs.
	Duration time.Duration
	// Usage is what the agent calls in it used; nil where nothing is known.
	Usage *step.Usage
	// Does is what the recipe says the step does: its command, prompt, function
	// or recipe. Empty where the recipe is not known.
	Does string
	// Condition is the recipe's condition; empty where there is none.
	Condition string
	Outputs   []Output
	Parent    *Step // nil at the top
	Children  []*Step
	// Finally tells a step that runs at the end whatever happened.
	Finally bool

	actions []*action
}

// InJudge tells a step that lies in a judge of a loop.
func (s *Step) InJudge() bool {
	for at := s.Parent; at != nil; at = at.Parent {
		if at.Part == PartJudge {
			return true
		}
	}
	return false
}

// Part says what a [Step] is to its parent.
type Part string

// The parts. The last five have no step of their own in a recipe.
const (
	PartAuthored Part = "step"
	PartElement  Part = "element" // of a foreach
	PartRound    Part = "round"   // of a loop, and so are the next three
	PartJudge    Part = "judge"
	PartCheck    Part = "check"
	PartProgress Part = "progress"
	PartMeasure  Part = "measure" // what else a loop runs for itself
)

// Status is how a step stands.
type Status string

// The statuses: those of a journal, and three for what has no end.
const (
	Completed   Status = Status(step.Completed)
	Skipped     Status = Status(step.Skipped)
	Failed      Status = Status(step.Failed)
	Degraded    Status = Status(step.Degraded)
	Running     Status = "running"
	Interrupted Status = "interrupted"
	// Waiting is a step of the recipe that has not begun, and Unreached one that
	// never will.
	Waiting   Status = "waiting"
	Unreached Status = "not reached"
)

// Output is what a step printed or answered, or a part of it.
type Output struct {
	// Label says what it is: output, errors, answer; with the attempt where
	// there are several.
	Label string
	// Text is the output as people may see it: valid UTF-8, without escape
	// sequences. Where it is cut, Head and Text are its beginning and its end.
	Head string
	Text string
	// Size is the length of the whole in bytes, and Cut how many are left out.
	Size, Cut int64
	// Action and Stderr name the stream of which it is a part.
	Action string
	Stderr bool
	// Missing says why it cannot be read; empty where it can.
	Missing string
}

// Event is something that happened to the run.
type Event struct {
	At   time.Time
	Kind string
	Path string
	Text string
}

// Warning is a remark with the steps that it was made in.
type Warning struct {
	Path  string // the first step
	Text  string
	Count int
}
