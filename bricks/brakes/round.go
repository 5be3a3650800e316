package brakes

import (
	"time"

	"github.com/brickoven/brickoven/bricks/brakes/failing"
	"github.com/brickoven/brickoven/bricks/brakes/halt"
	"github.com/brickoven/brickoven/bricks/brakes/integrity"
)

// Check is what the loop's check says after a round.
type Check string

// The outcomes of a check. NoCheck is a loop without one.
const (
	NoCheck     Check = ""
	CheckGreen  Check = "green"
	CheckRed    Check = "red"
	CheckBroken Check = "broken" // it could not be run, so it proves nothing
)

// Verdict is the judge's; NoVerdict is a loop without a judge, which its check
// ends.
type Verdict string

// The verdicts.
const (
	NoVerdict Verdict = ""
	Continue  Verdict = "CONTINUE"
	Done      Verdict = "DONE"
	Stuck     Verdict = "STUCK"
)

// Stop is what the session asks for at the end of a round (seed 001). NoStop is
// nothing. max_rounds and max_cost are the brakes' own findings.
type Stop string

// The stops.
const (
	NoStop               Stop = ""
	GoalMet              Stop = "goal_met" // written by a workflow
	StopRequested        Stop = "stop_requested"
	UnresolvableError    Stop = "unresolvable_error" // written by a workflow
	GoalCheckBroken      Stop = "goal_check_broken"
	WorkflowFailureCap   Stop = "workflow_failure_cap"
	InvalidControlOutput Stop = "invalid_control_output"
	NoEligibleWorkflow   Stop = "no_eligible_workflow"
	DoneButCheckRed      Stop = "done_but_check_red" // the session counts the claims
)

// TerminalExit is the exit code of a child that a structural guard refused.
const TerminalExit = 79

// Reference is what the verification of the reference commit gave.
type Reference string

// The outcomes of a reference.
const (
	Unverified       Reference = "" // no reference was named
	ReferenceGreen   Reference = "green"
	ReferenceRed     Reference = "red"
	ReferenceMissing Reference = "missing" // no such commit, or it could not be checked out
)

// Baseline is what was observed before the first round.
type Baseline struct {
	// Failing is the failing set of the tree as the loop finds it; failures from
	// before the loop are none of its doing.
	Failing failing.Set `json:"failing"`
	// Trials are the runs of the check that `probe` asks for.
	Trials          []integrity.Trial `json:"trials,omitempty"`
	Reference       Reference         `json:"reference,omitempty"`
	ReferenceDetail string            `json:"reference_detail,omitempty"`
	Spend           Spend             `json:"spend"`
	Elapsed         time.Duration     `json:"elapsed_ns"`
}

// Round is what was observed of one round, judge and check included.
type Round struct {
	Number   int   `json:"number"` // from 1, without gaps
	ExitCode int   `json:"exit_code"`
	Check    Check `json:"check,omitempty"`

	Verdict Verdict `json:"verdict,omitempty"`
	// NotConverging is what the judge says does not converge.
	NotConverging []string `json:"not_converging,omitempty"`
	Stop          Stop     `json:"stop,omitempty"`
	StopDetail    string   `json:"stop_detail,omitempty"`

	Failing failing.Set `json:"failing"`
	// Changed are the paths that the round changed, both names of a rename.
	Changed []string `json:"changed,omitempty"`
	// CheckChanged are the paths that the check changed after the round.
	CheckChanged []string `json:"check_changed,omitempty"`
	// Tampered are the session's files that are not as the engine left them.
	Tampered []string `json:"tampered,omitempty"`

	Spend   Spend         `json:"spend"`
	Elapsed time.Duration `json:"elapsed_ns"`
}

// Meter is what is known of a round while it runs.
type Meter struct {
	Spend   Spend         // of this round so far
	Elapsed time.Duration // of this round so far
	Silent  time.Duration // since its last output or event
	// Phase says what is running, for the evidence.
	Phase string
}

// Tree says what becomes of the round's changes.
type Tree string

// What may become of a tree.
const (
	// Accept makes the tree the last accepted state.
	Accept Tree = "accept"
	// Keep leaves the tree, and the last accepted state, as they are.
	Keep Tree = "keep"
	// Restore puts the tree back to the last accepted state.
	Restore Tree = "revert"
)

// Decision is what follows from an observation. Tree and Halt are independent:
// a round may be reverted and be the last one.
type Decision struct {
	Tree Tree `json:"tree"`
	// Halt ends the loop; nil lets it go on.
	Halt *halt.Halt `json:"halt,omitempty"`
	// Broke are the passing tests that the round broke, for the next prompt.
	Broke []string `json:"broke,omitempty"`
	// ShowCheck tells that a DONE was not accepted, and that the check's output
	// goes into the next round.
	ShowCheck bool `json:"show_check,omitempty"`
	// Warnings are for the person who reads along.
	Warnings []string `json:"warnings,omitempty"`
}
