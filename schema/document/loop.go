package document

import (
	"github.com/brickoven/brickoven/bricks/brakes/failing"
	"github.com/invopop/jsonschema"
)

// Evidence says where the judge of a loop finds what a round gave.
type Evidence struct {
	// The variable that holds the findings of the round, by path.
	Findings Text `json:"findings,omitempty"`
	// The variable that holds the summary of the tests, by path.
	TestSignal Text `json:"test_signal,omitempty"`
	// The variable that holds the state of CI, by path.
	CISignal Text `json:"ci_signal,omitempty"`
	// An expression that is true when the goal is met.
	GoalMet Text `json:"goal_met,omitempty"`
	// The repositories whose changes count.
	Repos Templates `json:"repos,omitempty"`
	// Files outside git whose changes count, as patterns.
	Paths Templates `json:"paths,omitempty"`
	// A command that counts what is left, or lists it.
	Progress Template `json:"progress,omitempty"`
}

// Brakes end a loop beside its judge. Without any, two watch the failing set
// where there is one, and nothing is bounded.
type Brakes struct {
	// A fuse on rounds.
	Rounds Number `json:"rounds,omitempty"`
	// What the whole run may cost, in US dollars.
	BudgetUSD Number `json:"budget_usd,omitempty"`
	// How many tokens the whole run may use.
	BudgetTokens Number `json:"budget_tokens,omitempty"`
	// How many minutes the whole run may take.
	BudgetMinutes Number `json:"budget_minutes,omitempty"`
	// What happens when an agent does not tell its cost: report or halt.
	OnUnknownCost string `json:"on_unknown_cost,omitempty" jsonschema:"enum=report,enum=halt"`
	// Ends the loop when a round costs far more than those before; true for the
	// defaults.
	CostAnomaly AnomalySetting `json:"cost_anomaly,omitempty"`
	// The silence after which a round is taken for dead.
	StaleAfter Duration `json:"stale_after,omitempty"`
	// How the set of failing tests is read.
	Failing *Failing `json:"failing,omitempty"`
	// Ends the loop after so many rounds in which the failing set did not
	// shrink; 5 where not given, 0 for never.
	NoProgressRounds Number `json:"no_progress_rounds,omitempty"`
	// Ends the loop after so many rounds with the same failing set; 3 where not
	// given, 0 for never.
	SameFailureRounds Number `json:"same_failure_rounds,omitempty"`
	// What happens to a round that breaks a passing test: revert, halt or
	// ignore.
	OnRegression string `json:"on_regression,omitempty" jsonschema:"enum=revert,enum=halt,enum=ignore"`
	// A commit where the check passes, or none.
	Reference Text `json:"reference,omitempty"`
	// Paths that no round may change, as patterns.
	Protect Texts `json:"protect,omitempty"`
	// How often the check runs before the first round, to see whether it agrees
	// with itself.
	Probe Number `json:"probe,omitempty"`
	// Ends the loop when too many changes were accepted that nobody has read.
	Comprehension *Comprehension `json:"comprehension,omitempty"`
	// Ends the loop when its steps go round in circles; true for the defaults.
	DoomLoop DoomLoopSetting `json:"doom_loop,omitempty"`
}

// DoomLoop is when steps count as going round in circles. 0 turns one sign off.
type DoomLoop struct {
	// How often in a row one action may end in the same way; 3 where not given,
	// 5 for the tools of an agent.
	RepeatedAction Number `json:"repeated_action,omitempty"`
	// How many failures in a row may have the same error; 3, for tools 5.
	RepeatedFailure Number `json:"repeated_failure,omitempty"`
	// How often one call may fail with the same error and never go well; 6, for
	// tools 10.
	RecurringFailure Number `json:"recurring_failure,omitempty"`
	// How many events in a row may give the same output; 4, for tools 8.
	RepeatedOutput Number `json:"repeated_output,omitempty"`
	// The size in bytes from which outputs are compared; 64.
	MinOutputBytes Number `json:"min_output_bytes,omitempty"`
	// How often two or more events in the same order may run over; 2, for tools
	// 3.
	CycleRepeats Number `json:"cycle_repeats,omitempty"`
	// The longest such sequence; 32.
	MaxPeriod Number `json:"max_period,omitempty"`
	// How many events in a row may show nothing new; 10, for tools 20.
	NoProgress Number `json:"no_progress,omitempty"`
	// How many times in a row a plan may change back to an earlier one; 2.
	CircularPlan Number `json:"circular_plan,omitempty"`
	// The wait from which another attempt is none of these; 1 second.
	PatientWait Duration `json:"patient_wait,omitempty"`
	// How many events the rounds may have; no limit where not given.
	MaxEvents Number `json:"max_events,omitempty"`
	// How many minutes the rounds may take; no limit where not given.
	MaxMinutes Number `json:"max_minutes,omitempty"`
	// How many tokens the rounds may use; no limit where not given.
	MaxTokens Number `json:"max_tokens,omitempty"`
	// What the rounds may cost, in US dollars; no limit where not given.
	MaxCostUSD Number `json:"max_cost_usd,omitempty"`
}

// DoomLoopSetting is a DoomLoop, or true for its defaults.
type DoomLoopSetting struct{}

// JSONSchema allows a flag too.
func (DoomLoopSetting) JSONSchema() *jsonschema.Schema {
	return either(types("boolean", "null"), &jsonschema.Schema{Ref: "#/$defs/DoomLoop"})
}

// Anomaly finds a round that costs far more than those before.
type Anomaly struct {
	// How many standard deviations above the mean are too many; 3 where not
	// given.
	Sigma Number `json:"sigma,omitempty"`
	// How many rounds with a known cost must come before; 3 where not given.
	MinRounds Number `json:"min_rounds,omitempty"`
	// The least standard deviation, as a share of the mean, such as 10%.
	Floor Text `json:"floor,omitempty"`
}

// AnomalySetting is an Anomaly, or true for its defaults.
type AnomalySetting struct{}

// JSONSchema allows a flag too.
func (AnomalySetting) JSONSchema() *jsonschema.Schema {
	return either(types("boolean", "null"), &jsonschema.Schema{Ref: "#/$defs/Anomaly"})
}

// Failing says how the set of failing tests is read.
type Failing struct {
	// The command that prints it.
	Command Text `json:"command"`
	// The format of what the command prints.
	Format FailingFormat `json:"format"`
}

// FailingFormat is the format of a failing set.
type FailingFormat string

// JSONSchema lists the formats that there are.
func (FailingFormat) JSONSchema() *jsonschema.Schema {
	s := &jsonschema.Schema{Type: "string"}
	for _, format := range failing.Formats() {
		s.Enum = append(s.Enum, string(format))
	}
	return s
}

// Comprehension bounds what is accepted and not read.
type Comprehension struct {
	// How many accepted changes may wait for a reader.
	MaxUnread Number `json:"max_unread"`
}

// Number is a number, or a text that is one.
type Number float64

// JSONSchema is what the brakes take for a number.
func (Number) JSONSchema() *jsonschema.Schema {
	return either(&jsonschema.Schema{Type: "number", Minimum: "0"}, &jsonschema.Schema{Type: "string", Pattern: `^\s*[0-9]+(\.[0-9]+)?\s*$`})
}

// Contract is the ledger contract of a loop, or the path of one.
type Contract struct{}

// JSONSchema allows a mapping or a path; the ledger checks what it holds.
func (Contract) JSONSchema() *jsonschema.Schema { return types("object", "string") }

// Workflows are several recipes in one loop: a list, or a mapping by id.
type Workflows []Workflow

// JSONSchema allows both forms.
func (Workflows) JSONSchema() *jsonschema.Schema {
	workflow := &jsonschema.Schema{Ref: "#/$defs/Workflow"}
	return either(list(workflow), &jsonschema.Schema{Type: "object", AdditionalProperties: workflow})
}

// Workflow is one recipe of a loop with several, and when its turn comes.
type Workflow struct {
	// The name of the workflow in the loop, where workflows is a list.
	ID Text `json:"id,omitempty"`
	// The recipe of one iteration.
	Recipe Text `json:"recipe,omitempty"`
	// What the workflow does, for people.
	Description Text `json:"description,omitempty"`
	// Whether its turn comes at all.
	Enabled Flag `json:"enabled,omitempty"`
	// A larger one goes first.
	Priority int `json:"priority,omitempty"`
	// The distance between two successes of this workflow, in successful
	// iterations.
	RunEvery Count `json:"run_every,omitempty"`
	// The workflow that must have had the last success.
	MustFollow Text `json:"must_follow,omitempty"`
	// Waits for successes of another workflow.
	RunAfterSuccesses *AfterSuccesses `json:"run_after_successes,omitempty"`
	// How many iterations must have finished before.
	NotBefore Count `json:"not_before,omitempty"`
	// Lifts the rules that wait for another workflow until there was a success.
	RunOnStart Flag `json:"run_on_start,omitempty"`
	// Each of its iterations owes a goal_check.json.
	EmitsGoalCheck Flag `json:"emits_goal_check,omitempty"`
}

// AfterSuccesses counts successes of another workflow.
type AfterSuccesses struct {
	// The other workflow.
	Workflow Text `json:"workflow"`
	// How many successes.
	Every Count `json:"every"`
}
