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

// describeContract gives the prose fields, which are any value in Go, the form
// that the ledger demands.
func describeContract(s *jsonschema.Schema) {
	one := uint64(1)
	item := types("string", "number")
	many := list(item)
	many.MinItems = &one
	s.Definitions["Prose"] = &jsonschema.Schema{
		AnyOf: []*jsonschema.Schema{item, many}, Description: "A text, a number or a list of those, never blank.",
	}
	for pair := s.Properties.Oldest(); pair != nil; pair = pair.Next() {
		if pair.Value.Type == "" && pair.Value.Ref == "" || pair.Value == jsonschema.TrueSchema {
			pair.Value = &jsonschema.Schema{Ref: "#/$defs/Prose"}
		}
	}
	if d, ok := s.Definitions["Dimension"]; ok {
		if direction, ok := d.Properties.Get("direction"); ok {
			direction.Enum = []any{ledger.HigherIsBetter, ledger.LowerIsBetter}
		}
	}
}
