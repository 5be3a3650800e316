// Package halt names why a loop ended. It holds the one table of halt reasons
// and their classes; the brakes, the command line and docs/halt-reasons.md take
// theirs from it (seed 004, "Every reason is computed, never declared").
//
// Everything here is a value or a pure function, safe for concurrent use.
package halt

import "slices"

// Reason is a computed reason for which a loop ended.
type Reason string

// The reasons, in the order of their classes.
const (
	SuccessConditionMet       Reason = "success_condition_met"
	JudgedDone                Reason = "judged_done"
	NoActionableTasks         Reason = "no_actionable_tasks"
	HumanRequired             Reason = "human_required"
	MaxIterationsReached      Reason = "max_iterations_reached"
	BlockedPathModified       Reason = "blocked_path_modified"
	MetricIntegrityViolation  Reason = "metric_integrity_violation"
	HarnessTampered           Reason = "harness_tampered"
	CheckFlaky                Reason = "check_flaky"
	CheckHasSideEffects       Reason = "check_has_side_effects"
	GoalCheckBroken           Reason = "goal_check_broken"
	DoneButCheckRed           Reason = "done_but_check_red"
	JudgedStuck               Reason = "judged_stuck"
	NoProgressDetected        Reason = "no_progress_detected"
	SameFailureRepeated       Reason = "same_failure_repeated"
	OscillationDetected       Reason = "oscillation_detected"
	SameTestRegressed         Reason = "same_test_regressed"
	UnsatisfiableConstraints  Reason = "unsatisfiable_constraints"
	InfeasibleSuspected       Reason = "infeasible_suspected"
	BudgetExceeded            Reason = "budget_exceeded"
	CostAnomaly               Reason = "cost_anomaly"
	HeartbeatStale            Reason = "heartbeat_stale"
	ComprehensionDebtExceeded Reason = "comprehension_debt_exceeded"
	WorkspaceInvalid          Reason = "workspace_invalid"
	ExecutionFailure          Reason = "execution_failure"
	InternalError             Reason = "internal_error"
	TerminalRefusal           Reason = "terminal_refusal"
)

// Class is the exit class of a reason, 10 to 50, and 79 for a refusal that no
// loop may retry. A run that a loop halted exits with it, except that a
// success (class 10) exits 0 (DESIGN section 8).
type Class int

// Success is the class of the loops that met their goal.
const Success Class = 10

// ExitCode is what a run exits with when a loop ended with this class.
func (c Class) ExitCode() int {
	if c == Success {
		return 0
	}
	return int(c)
}

// Kind groups the reasons: the four deaths of seed 004, and what is no death.
type Kind string

// The kinds of ending.
const (
	Arrival           Kind = "arrival"
	Person            Kind = "a person is needed"
	Runaway           Kind = "runaway"
	SilentDeath       Kind = "silent death"
	RandomWalk        Kind = "random walk"
	UnderstandingDebt Kind = "understanding debt"
	Integrity         Kind = "integrity"
	Substrate         Kind = "substrate"
)

// Remedy says in one word what to do after a halt.
type Remedy string

// The remedies. RaiseTheLimit is given only where the failing set was still
// shrinking in the last rounds.
const (
	Nothing       Remedy = "nothing"
	RaiseTheLimit Remedy = "raise-the-limit"
	DoNotRetry    Remedy = "do-not-retry"
	Review        Remedy = "review"
	ReadAndAck    Remedy = "read-and-ack"
	FixCheck      Remedy = "fix-the-check"
	FixSubstrate  Remedy = "fix-the-substrate"
	Decide        Remedy = "decide"
)

// Row is one reason of the table.
type Row struct {
	Reason  Reason `json:"reason"`
	Class   Class  `json:"class"`
	Kind    Kind   `json:"kind"`
	Meaning string `json:"meaning"`
	// Remedy and Advice are what to do where nothing more is known.
	Remedy Remedy `json:"remedy"`
	Advice string `json:"advice"`
}

// Table lists every reason once, by class and then as documented. The slice is
// the caller's own.
func Table() []Row { return slices.Clone(table) }

// Lookup finds the row of a reason.
func Lookup(r Reason) (row Row, found bool) {
	i := slices.IndexFunc(table, func(row Row) bool { return row.Reason == r })
	if i < 0 {
		return Row{}, false
	}
	return table[i], true
}

// Class is the class of a reason; a reason that is not in the table is an
// error of the program and has the class of InternalError.
func (r Reason) Class() Class {
	if row, found := Lookup(r); found {
		return row.Class
	}
	return internal
}

const internal Class = 50

// Stop joins a session's stop reason (seed 001) with the halt reason. The table
// of them is the session's.
type Stop struct {
	Stop   string
	Reason Reason
	When   string
}
