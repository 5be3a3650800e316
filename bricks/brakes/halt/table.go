package halt

// table is the single source of reasons, classes and advice. It is never
// written to.
var table = []Row{
	{SuccessConditionMet, 10, Arrival, "the check proved that the goal is met", Nothing, "nothing to do"},
	{JudgedDone, 10, Arrival, "the judge says DONE and the loop has no check that could prove it", Nothing, "look at the result; give the loop a check to have it proved"},

	{NoActionableTasks, 11, Person, "no workflow of the loop may run any more", Decide, "see `brickoven session explain` for why none is eligible, and add or enable one"},
	{HumanRequired, 11, Person, "a person asked the loop to stop, or a workflow said that only a person can go on", Decide, "read control.json of the session, settle what it names, then resume"},

	{MaxIterationsReached, 12, Runaway, "the fuse on rounds is spent and the goal is not met", DoNotRetry, "more rounds burn more of the same; change the task, the prompt or the check first"},

	{BlockedPathModified, 13, Integrity, "a round changed a protected path", Review, "look at the change; undo it, or take the path out of `protect` if it is meant to change"},
	{MetricIntegrityViolation, 13, Integrity, "tests vanished or got skipped, so the check measures less than before", Review, "bring the tests back; if they are meant to go, accept that by hand with `brickoven ratchet accept`"},
	{HarnessTampered, 13, Integrity, "a round wrote into the session's own files", Review, "look at the difference in the evidence before the session is used again"},

	{CheckFlaky, 14, Integrity, "the check disagrees with itself on an unchanged tree", FixCheck, "make the check repeatable; no loop can converge on a check that rolls dice"},
	{CheckHasSideEffects, 14, Integrity, "the check changes the tree that it checks", FixCheck, "let the check write outside the repository, or to ignored paths"},

	{GoalCheckBroken, 16, Integrity, "the goal check gave no valid answer several times in a row", FixCheck, "read the last goal_check.json and repair the workflow that writes it"},
	{DoneButCheckRed, 16, Integrity, "DONE was claimed twice in a row while the check is red", Review, "read the check's output: either the check asks for something else than the task, or the claim is wrong"},

	{JudgedStuck, 17, RandomWalk, "the judge says STUCK: nothing that counts has moved", DoNotRetry, "read what does not converge; change the task before another try"},
	{NoProgressDetected, 17, RandomWalk, "the failing set has not shrunk for several rounds", DoNotRetry, "check that the goal can be met at all before raising any limit"},
	{SameFailureRepeated, 17, RandomWalk, "the same failing set several rounds in a row", DoNotRetry, "the rounds do not touch the cause; give other information, not more rounds"},
	{OscillationDetected, 17, RandomWalk, "the failing set came back to an earlier one", DoNotRetry, "the rounds go in a circle; the period and the rounds are in the evidence"},
	{SameTestRegressed, 17, RandomWalk, "a test that was green is red again", DoNotRetry, "look at what fixed it and what broke it; let the ratchet revert with `on_regression: revert`"},
	{UnsatisfiableConstraints, 17, RandomWalk, "fixing one test breaks another, and that twice", DoNotRetry, "read the two tests side by side: they may contradict each other"},
	{InfeasibleSuspected, 17, RandomWalk, "no state is known in which the check passes", DoNotRetry, "name a commit where the check passes in `reference`, or write `reference: none` to go without"},

	{BudgetExceeded, 18, Runaway, "the run's budget of money, tokens or minutes is spent, or spending is unknown and that halts", DoNotRetry, "lower what a round costs or split the task"},
	{CostAnomaly, 18, Runaway, "a round costs far more than the rounds before it", Review, "look at what blew up in that round, usually its context"},

	{HeartbeatStale, 19, SilentDeath, "the loop has shown no sign of life for too long", FixSubstrate, "the evidence says what was running; end it, find out why it hung, then resume"},
	{ComprehensionDebtExceeded, 19, UnderstandingDebt, "too many accepted changes that nobody has signed as read", ReadAndAck, "read the backlog, then `brickoven ack --through SHA --reviewer ID`, and resume"},

	{WorkspaceInvalid, 30, Substrate, "the workspace or the session's control file cannot be used", FixSubstrate, "repair what the evidence names"},
	{ExecutionFailure, 40, SilentDeath, "running a round failed, or the loop's process died without an end", FixSubstrate, "repair what failed to run, then resume"},
	{InternalError, 50, Substrate, "the observations contradict each other, which is an error of brickoven", Review, "report it with the run's journal"},

	{TerminalRefusal, 79, Integrity, "a structural guard refused for good (exit code 79)", DoNotRetry, "never retry this; the refusal names the guard"},
}

// Absent is a reason of seed 004's map that cannot happen here.
type Absent struct {
	Reason string `json:"reason"`
	Class  Class  `json:"class"`
	Why    string `json:"why"`
}

// NotApplicable lists the reasons of the original's map that have no cause in
// this program, so that nobody waits for them.
func NotApplicable() []Absent {
	return []Absent{
		{"reward_hacking_detected", 13, "only its measurable forms exist: blocked_path_modified, metric_integrity_violation, harness_tampered"},
		{"credential_scope_invalid", 13, "credentials are not scoped here"},
		{"objective_unverified", 13, "a receipt that does not verify is an error of `runs verify` and `replay`, not the end of a loop"},
		{"check_not_hermetic", 14, "checks are not isolated from the network or the machine"},
		{"hermeticity_violation", 14, "checks are not isolated from the network or the machine"},
		{"check_inadequate", 15, "nothing is claimed about how good a check is"},
		{"escalation_pending", 16, "there is no pager to escalate to"},
		{"reviewer_rejected", 16, "a critic's FAIL is an outcome of the ledger"},
		{"model_drift_detected", 19, "models are not pinned or compared"},
		{"context_budget_unsatisfiable", 19, "no context is built here"},
		{"invariant_failed", 20, "an invalid `brakes:` is refused before the run, with exit code 2"},
		{"isolation_unsatisfiable", 30, "no isolation is offered"},
	}
}
