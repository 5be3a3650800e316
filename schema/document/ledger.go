package document

import (
	"github.com/brickoven/brickoven/bricks/ledger"
	"github.com/invopop/jsonschema"
)

// Ledger is the file of a ledger: the contract of a loop and every iteration
// under it. A file that this program wrote has a seal over all that follows it.
type Ledger struct {
	// The version of the file's form.
	Schema int `json:"schema" jsonschema:"enum=1"`
	// The SHA-256 of everything behind the first line.
	Seal string `json:"seal,omitempty"`
	// The name of the loop.
	Session string `json:"session"`
	// Whether the loop goes on: open or closed.
	Status string `json:"status"`
	// The outcome that closed the ledger; null while it is open.
	FinalOutcome ledger.Text `json:"final_outcome"`
	// When the current epoch was opened, in UTC.
	OpenedAt string `json:"opened_at"`
	// The number of the current contract.
	Epoch int `json:"epoch"`
	// The contracts that later ones replaced.
	Epochs []ledger.Epoch `json:"epochs"`
	// The current contract.
	Contract ledger.Contract `json:"contract"`
	// The evidence that baselines were measured, by dimension.
	Provenance map[string]string `json:"baseline_provenance"`
	// The ids of the actions that are done.
	Completed []string `json:"completed_actions"`
	// How often a paused loop was resumed.
	Resumed int `json:"resumed"`
	// How many identical errors are a stall.
	StallThreshold int `json:"stall_threshold"`
	// How they are counted: consecutive or total.
	StallCount string `json:"stall_count"`
	// The critic brief that waits for its verdict.
	Pending *ledger.Pending `json:"pending_brief"`
	// The note that close was given.
	CloseNote ledger.Text `json:"close_note"`
	// What blocks the loop, where it was escalated.
	CloseBlocker ledger.Text `json:"close_blocker"`
	// The evidence for that.
	CloseEvidence ledger.Text `json:"close_evidence"`
	// What to do next.
	CloseRecommendedNext ledger.Text `json:"close_recommended_next"`
	// The sum of the iterations of the current epoch.
	Progress ledger.Progress `json:"progress"`
	// Every iteration, oldest first.
	Iterations []ledger.Iteration `json:"iterations"`
}

// contractTexts explain the keys of a contract and of its dimensions to those
// who write one.
var contractTexts = map[string]string{
	"purpose":           "What the loop is for.",
	"owner":             "Who answers for it.",
	"starting_state":    "What is there before the first iteration.",
	"inputs":            "What an iteration works from.",
	"expected_outputs":  "What the loop must leave behind.",
	"success_criteria":  "What must hold for the loop to be complete.",
	"failure_criteria":  "What makes an iteration a failure.",
	"dependencies":      "What the loop depends on; an iteration that lacks something else is refused.",
	"iteration_limit":   "How many iterations one contract allows.",
	"timeout_behaviour": "What happens when time runs out.",
	"escalation_path":   "Where the loop goes when it cannot go on.",
	"quality_rubric":    "The weighted dimensions that each iteration is scored by.",
	"dimension":         "The name of the dimension.",
	"evidence_command":  "The command whose output holds the number; it is read, never run.",
	"baseline":          "The number before the first iteration.",
	"target":            "The number that scores 100.",
	"weight":            "How much the dimension counts.",
	"direction":         "Which way is better.",
	"hard_gate":         "Whether a value past the threshold fails the whole evaluation.",
	"must_not_regress":  "Whether the dimension has only to stay where it is.",
	"failure_threshold": "The last value that is still safe.",
}

// describeContract gives the prose fields, which are any value in Go, the form
// that the ledger demands, and explains every key.
func describeContract(s *jsonschema.Schema) {
	one := uint64(1)
	item := types("string", "number")
	many := list(item)
	many.MinItems = &one
	s.Definitions["Prose"] = &jsonschema.Schema{
		AnyOf: []*jsonschema.Schema{item, many}, Description: "A text, a number or a list of those, never blank.",
	}
	for pair := s.Properties.Oldest(); pair != nil; pair = pair.Next() {
		if pair.Value.Type == "" && pair.Value.Ref == "" {
			pair.Value = &jsonschema.Schema{Ref: "#/$defs/Prose"}
		}
		pair.Value.Description = contractTexts[pair.Key]
	}
	for pair := s.Definitions["Dimension"].Properties.Oldest(); pair != nil; pair = pair.Next() {
		pair.Value.Description = contractTexts[pair.Key]
		if pair.Key == "direction" {
			pair.Value.Enum = []any{ledger.HigherIsBetter, ledger.LowerIsBetter}
		}
	}
}
