package score

import (
	"encoding/json"

	"github.com/brickoven/brickoven/bricks/doomloop"
	"github.com/brickoven/brickoven/bricks/guard"
)

// Status is the verdict in one word.
type Status string

// The verdicts. Nothing means that there were no scores and no doom loop: there
// is no health to speak of.
const (
	Healthy   Status = "healthy"
	Unhealthy Status = "unhealthy"
	Nothing   Status = "nothing_to_examine"
)

// Result is the health of a loop. The order of the fields is the order of the
// keys in JSON: those of seed 003 first, in its order, then ours.
type Result struct {
	// IterationsToSuccess is the round, from 1, that met the threshold in
	// optimize mode; otherwise the number of rounds.
	IterationsToSuccess int `json:"iterations_to_success"`
	// WastedIterations counts the rounds after that one; 0 in review mode.
	WastedIterations int  `json:"wasted_iterations"`
	DoomLoopFired    bool `json:"doom_loop_fired"`
	// GuardInterventions counts all guard events, doom loop or not.
	GuardInterventions int `json:"guard_interventions"`
	// TotalDuration is in seconds; null when the loop does not say.
	TotalDuration *json.Number `json:"total_duration_s"`
	// Deltas are from each score to the next, rounded to four decimals.
	Deltas    []json.Number `json:"score_delta_per_iteration"`
	Converged bool          `json:"converged"`
	// Success is Converged, no doom loop, and no more waste than tolerated;
	// Passed is the same under its other name.
	Success   bool        `json:"success"`
	Passed    bool        `json:"passed"`
	Threshold json.Number `json:"threshold"`
	Reasoning string      `json:"reasoning"`
	Metadata  Metadata    `json:"metadata"`

	Status Status `json:"status"`
	ID     string `json:"id,omitempty"`
	Name   string `json:"name,omitempty"`
	Mode   Mode   `json:"mode"`
	// ThresholdFrom says whose threshold was used: option, loop or default.
	ThresholdFrom string `json:"threshold_from"`
	// MaxWasted is the number of wasted rounds that was tolerated.
	MaxWasted int `json:"max_wasted_iterations"`
	// ConvergedBy says what Converged rests on: first_score_at_threshold,
	// loop_success or last_score; empty when there are no scores.
	ConvergedBy string `json:"converged_by,omitempty"`
	// ConvergedIteration is the round that Converged rests on; null without one.
	ConvergedIteration *int `json:"converged_iteration"`
	// SuccessDisagrees tells that the loop's own success is not what its scores
	// say at its own threshold.
	SuccessDisagrees bool          `json:"success_disagrees"`
	Scores           []json.Number `json:"score_history"`
	// Best is the first of the highest scores; null without scores.
	Best  *Best `json:"best"`
	Waste Waste `json:"waste"`
	// GuardEvents has one entry for each guard event, in their order.
	GuardEvents []Intervention `json:"guard_events"`
	// Findings are the doom loops that the step events themselves show.
	Findings []doomloop.Finding `json:"findings"`
	Warnings []string           `json:"warnings"`
}

// Metadata is open for more keys, as in the seed.
type Metadata struct {
	NumIterations int `json:"num_iterations"`
}

// Best is a round and its score.
type Best struct {
	Iteration int         `json:"iteration"`
	Score     json.Number `json:"score"`
}

// Intervention is one guard event as it was recognised.
type Intervention struct {
	// Index is the position of the event, from 0.
	Index int `json:"index"`
	guard.Recognition
}

// Waste is what the rounds after the threshold used. Null is unknown.
type Waste struct {
	Rounds  int          `json:"rounds"`
	Minutes *json.Number `json:"minutes"`
	Tokens  *json.Number `json:"tokens"`
	CostUSD *json.Number `json:"cost_usd"`
	// AcceptedImprovements counts the rounds that were marked accepted; where
	// no round has the mark, those that beat every score before them, the first
	// round not counted.
	AcceptedImprovements int `json:"accepted_improvements"`
	// CostPerImprovement is the cost of all rounds for each accepted
	// improvement; null also when there is none.
	CostPerImprovement *json.Number `json:"cost_usd_per_accepted_improvement"`
}
