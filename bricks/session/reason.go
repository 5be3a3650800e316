package session

import (
	"slices"

	"github.com/brickoven/brickoven/bricks/brakes/halt"
)

// StopReason says why a session stopped, in the words of control.json,
// state.json and the events (seed 001, "The full set of stop reasons").
type StopReason string

// The stop reasons. A workflow may write the first two into control.json;
// everything else is derived, and control.json is left as it was found.
const (
	GoalMet              StopReason = "goal_met"
	UnresolvableError    StopReason = "unresolvable_error"
	StopRequested        StopReason = "stop_requested"
	MaxRounds            StopReason = "max_rounds"
	MaxCost              StopReason = "max_cost"
	GoalCheckBroken      StopReason = "goal_check_broken"
	WorkflowFailureCap   StopReason = "workflow_failure_cap"
	InvalidControlOutput StopReason = "invalid_control_output"
	NoEligibleWorkflow   StopReason = "no_eligible_workflow"
	DoneButCheckRed      StopReason = "done_but_check_red"
	HarnessTampered      StopReason = "harness_tampered"
	// Braked is a loop that one of its brakes ended; the brake gives the halt
	// reason.
	Braked StopReason = "brake"
	// GuardRefused is a loop in which a structural guard refused to start a
	// child; the run ends with code 79.
	GuardRefused StopReason = "guard_refused"
)

// HaltReason is the word of the halt table for the same end; it decides the exit
// code of the run.
type HaltReason = halt.Reason

// The halt reasons that a session can end with, beside those of the brakes.
const (
	HaltSuccess          = halt.SuccessConditionMet
	HaltJudgedDone       = halt.JudgedDone
	HaltJudgedStuck      = halt.JudgedStuck
	HaltHumanRequired    = halt.HumanRequired
	HaltNothingToDo      = halt.NoActionableTasks
	HaltMaxIterations    = halt.MaxIterationsReached
	HaltBudget           = halt.BudgetExceeded
	HaltGoalCheckBroken  = halt.GoalCheckBroken
	HaltDoneButCheckRed  = halt.DoneButCheckRed
	HaltHarnessTampered  = halt.HarnessTampered
	HaltExecutionFailure = halt.ExecutionFailure
	HaltWorkspaceInvalid = halt.WorkspaceInvalid
	HaltGuardRefused     = halt.TerminalRefusal
)

// Author is who made a stop decision.
type Author string

// The authors. The first three decide through control.json.
const (
	ByWorkflow    Author = "workflow"
	ByJudge       Author = "judge"
	ByPerson      Author = "person"
	ByCoordinator Author = "coordinator"
)

// Row is one line of the table that joins stop reasons and halt reasons.
type Row struct {
	Stop StopReason
	// When narrows the row down; empty means always.
	When string
	// Halt is empty where the caller of [Coordinator.Halt] gives it.
	Halt HaltReason
	// Status is what state.json says then.
	Status Status
	// Author is who makes the decision.
	Author Author

	matches func(by Author, proven bool) bool
}

func always(Author, bool) bool              { return true }
func proven(_ Author, proven bool) bool     { return proven }
func unproven(_ Author, proven bool) bool   { return !proven }
func fromJudge(by Author, _ bool) bool      { return by == ByJudge }
func fromAnyoneElse(by Author, _ bool) bool { return by != ByJudge }

// Reasons is the one table of stop reasons, in the order of the documentation;
// for each stop reason exactly one row applies to an author and a proof.
func Reasons() []Row {
	return []Row{
		{GoalMet, "a check proved it", HaltSuccess, StatusGoalMet, ByWorkflow, proven},
		{GoalMet, "the loop has no check", HaltJudgedDone, StatusGoalMet, ByWorkflow, unproven},
		{UnresolvableError, "the judge's STUCK", HaltJudgedStuck, StatusFailed, ByJudge, fromJudge},
		{UnresolvableError, "a workflow wrote it", HaltHumanRequired, StatusFailed, ByWorkflow, fromAnyoneElse},
		{StopRequested, "", HaltHumanRequired, StatusStopped, ByPerson, always},
		{MaxRounds, "", HaltMaxIterations, StatusMaxRounds, ByCoordinator, always},
		{MaxCost, "", HaltBudget, StatusStopped, ByCoordinator, always},
		{GoalCheckBroken, "", HaltGoalCheckBroken, StatusFailed, ByCoordinator, always},
		{WorkflowFailureCap, "", HaltExecutionFailure, StatusFailed, ByCoordinator, always},
		{InvalidControlOutput, "", HaltWorkspaceInvalid, StatusFailed, ByCoordinator, always},
		{NoEligibleWorkflow, "", HaltNothingToDo, StatusFailed, ByCoordinator, always},
		{DoneButCheckRed, "", HaltDoneButCheckRed, StatusFailed, ByCoordinator, always},
		{HarnessTampered, "", HaltHarnessTampered, StatusFailed, ByCoordinator, always},
		{Braked, "", "", StatusFailed, ByCoordinator, always},
		{GuardRefused, "", HaltGuardRefused, StatusFailed, ByCoordinator, always},
	}
}

// StopFor is the stop reason of a loop that a brake ended with a halt reason. Two
// of them are the session's own words; for the rest it is [Braked].
func StopFor(reason HaltReason) StopReason {
	switch reason {
	case HaltMaxIterations:
		return MaxRounds
	case HaltBudget:
		return MaxCost
	}
	return Braked
}

// HaltStops is the table for the page of the halt reasons.
func HaltStops() []halt.Stop {
	var stops []halt.Stop
	for _, row := range Reasons() {
		if row.Halt != "" {
			stops = append(stops, halt.Stop{Stop: string(row.Stop), Reason: row.Halt, When: row.When})
		}
	}
	return stops
}

// Lookup finds the row for a stop reason, the author of the decision, and
// whether a check proved it; found is false for a word that is no stop reason.
func Lookup(stop StopReason, by Author, proven bool) (row Row, found bool) {
	rows := Reasons()
	i := slices.IndexFunc(rows, func(r Row) bool { return r.Stop == stop && r.matches(by, proven) })
	if i < 0 {
		return Row{}, false
	}
	return rows[i], true
}

// WorkflowMayWrite tells whether a workflow may write a stop reason into
// control.json (seed 001).
func (s StopReason) WorkflowMayWrite() bool { return s == GoalMet || s == UnresolvableError }

func (s StopReason) known() bool {
	return slices.ContainsFunc(Reasons(), func(r Row) bool { return r.Stop == s })
}
