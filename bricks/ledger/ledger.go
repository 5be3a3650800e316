package ledger

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/brickoven/brickoven/recipes/value"
)

// Ledger is the record of one loop. It is immutable: operations return a new
// ledger and leave the old one as it was.
type Ledger struct {
	head
	records records
}

// head is everything in a ledger but its iterations, with the JSON names of the
// file.
type head struct {
	Session      string            `json:"session"`
	Status       string            `json:"status"`
	FinalOutcome Text              `json:"final_outcome"`
	OpenedAt     string            `json:"opened_at"`
	Epoch        int               `json:"epoch"`
	Epochs       []Epoch           `json:"epochs"`
	Contract     Contract          `json:"contract"`
	Provenance   map[string]string `json:"baseline_provenance"`
	Completed    []string          `json:"completed_actions"`
	Resumed      int               `json:"resumed"`
	// StallThreshold is how many identical errors are a stall.
	StallThreshold int `json:"stall_threshold"`
	// StallCount is the way of counting them: consecutive or total.
	StallCount string   `json:"stall_count"`
	Pending    *Pending `json:"pending_brief"`
	closing
	Progress Progress `json:"progress"`
}

// closing is what close writes beside the outcome.
type closing struct {
	CloseNote            Text `json:"close_note"`
	CloseBlocker         Text `json:"close_blocker"`
	CloseEvidence        Text `json:"close_evidence"`
	CloseRecommendedNext Text `json:"close_recommended_next"`
}

// Pending is the critic brief that waits for its verdict.
type Pending struct {
	BriefID string `json:"brief_id"`
}

// Epoch is a contract that a later one replaced (seed 002, Contract epochs).
type Epoch struct {
	N            int      `json:"n"`
	Contract     Contract `json:"contract"`
	FinalOutcome Text     `json:"final_outcome"`
	// Iterations are the numbers of the iterations that ran under this contract
	// and of no other.
	Iterations []int `json:"iterations"`
	closing
}

// Progress sums up the iterations of the current epoch as far as the stall
// predicates and the baseline need them. It follows from the iterations; a
// ledger that was not written by this package gets it rebuilt.
type Progress struct {
	// Recorded counts the iterations of the epoch.
	Recorded int `json:"recorded"`
	// LastError is the error signature of the newest iteration.
	LastError Text `json:"last_error"`
	// Run is how many iterations in a row ended with LastError.
	Run int `json:"run"`
	// Errors counts the iterations by error signature.
	Errors map[string]int `json:"errors"`
	// States holds the state hashes, in the order they were seen.
	States []string `json:"states"`
	// Readings are those of the last measured iteration; nil before it.
	Readings map[string]value.Number `json:"readings"`
}

// Iteration is the record of one iteration (seed 002, The iteration record).
// Absent texts, readings and evaluations are null in JSON.
type Iteration struct {
	N               int    `json:"n"`
	Timestamp       string `json:"timestamp"`
	Epoch           int    `json:"epoch"`
	ReportedOutcome Text   `json:"reported_outcome"`
	Outcome         Text   `json:"outcome"`
	// Stall names the predicate that turned a reported continue into Outcome.
	Stall          Text `json:"stall"`
	ErrorSignature Text `json:"error_signature"`
	// ErrorConsecutive and ErrorTotal count this signature in the epoch, this
	// iteration included; both are 0 without an error.
	ErrorConsecutive  int                     `json:"error_consecutive"`
	ErrorTotal        int                     `json:"error_total"`
	StateHash         Text                    `json:"state_hash"`
	DependencyMissing Text                    `json:"dependency_missing"`
	Actions           []string                `json:"actions"`
	Baseline          map[string]value.Number `json:"baseline"`
	Measurements      map[string]value.Number `json:"measurements"`
	Evaluation        *Evaluation             `json:"evaluation"`
	FilesChanged      []string                `json:"files_changed"`
	CommandsRun       []string                `json:"commands_run"`
	EvidencePaths     []string                `json:"evidence_paths"`
	CriticVerdict     Text                    `json:"critic_verdict"`
	CriticNext        Text                    `json:"critic_next"`
	CriticBrief       Text                    `json:"critic_brief"`
	Decision          Text                    `json:"decision"`
	Blocker           Text                    `json:"blocker"`
	Evidence          Text                    `json:"evidence"`
	RecommendedNext   Text                    `json:"recommended_next"`
	// EngineWritten names the fields of a promoted escalate that this package
	// wrote because the author had not.
	EngineWritten []string `json:"engine_written"`
	Note          Text     `json:"note"`
}

// judged tells whether the iteration was scored, reviewed or decided.
func (i Iteration) judged() bool {
	return i.Evaluation != nil || i.CriticVerdict != "" || i.Decision != ""
}

// NextIteration is the number that the next iteration gets. Numbers go on
// across epochs.
func (l *Ledger) NextIteration() int { return l.records.len() + 1 }

// Len is how many iterations the ledger holds, over all epochs.
func (l *Ledger) Len() int { return l.records.len() }

// Iterations decodes all iterations, oldest first.
func (l *Ledger) Iterations() ([]Iteration, error) {
	iterations := make([]Iteration, l.records.len())
	for i, record := range l.records.all() {
		if err := json.Unmarshal(record, &iterations[i]); err != nil {
			return nil, &Refusal{Code: Unusable, Err: err, Message: "the ledger holds an iteration that can not be read: " + err.Error()}
		}
	}
	return iterations, nil
}

// Baseline is what the next measurements are compared with: the readings of the
// last measured iteration of this epoch, else the declared baselines.
func (l *Ledger) Baseline() map[string]value.Number {
	if l.Progress.Readings != nil {
		return l.Progress.Readings
	}
	declared := map[string]value.Number{}
	for _, d := range l.Contract.Rubric {
		declared[d.Name] = d.Baseline
	}
	return declared
}

// next copies the ledger as far as an operation changes it.
func (l *Ledger) next() *Ledger {
	n := &Ledger{head: l.head, records: l.records}
	n.Completed = slices.Clip(n.Completed)
	return n
}

// stamp prints a time as ledgers keep it: UTC, whole seconds.
func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }
