package ledger

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/brickoven/brickoven/bricks/signature"
	"github.com/brickoven/brickoven/recipes/value"
)

// Facts is what an iteration reports. Empty texts and lists are absent.
type Facts struct {
	Time    time.Time
	Outcome Text
	// Actions are the stable ids of the actions that the iteration completed.
	Actions []string
	// Error is the text of the error the iteration ended with; only its
	// signature is recorded.
	Error string
	// State is a text that is the same when nothing has moved; only its hash is
	// recorded.
	State             string
	DependencyMissing string
	Blocker           string
	Evidence          string
	RecommendedNext   string
	// Measured holds one reading per dimension of the rubric, or nothing.
	Measured      []Measurement
	FilesChanged  []string
	CommandsRun   []string
	EvidencePaths []string
	CriticVerdict string
	CriticNext    string
	CriticBrief   string
	Decision      string
	Note          string
	// StallCount overrides the ledger's way of counting errors when not empty.
	StallCount string
}

// Record adds an iteration. Everything is checked before anything is recorded,
// in the order of seed-systems section 2.5: the ledger's state, actions that
// are already complete, the facts (all findings at once), and retain over a
// breached hard gate.
func (l *Ledger) Record(f Facts) (*Ledger, Iteration, error) {
	if !oneOf(Outcomes(), f.Outcome) {
		return nil, Iteration{}, refuse(Unusable, "the outcome %q is not one of %s", f.Outcome, list(Outcomes()))
	}
	if f.StallCount != "" && f.StallCount != Consecutive && f.StallCount != Total {
		return nil, Iteration{}, refuse(Unusable, "the count %q is not %s or %s", f.StallCount, Consecutive, Total)
	}
	if l.Status != Open {
		return nil, Iteration{}, refuse(WrongState, "the ledger %s is closed with %s", l.Session, l.FinalOutcome)
	}
	if err := l.checkActions(f.Actions); err != nil {
		return nil, Iteration{}, err
	}
	i, found := l.iteration(f)
	if err := found.refusal(Malformed); err != nil {
		return nil, Iteration{}, err
	}
	if i.Decision == retain && i.Evaluation != nil && i.Evaluation.Verdict == VerdictFail {
		return nil, Iteration{}, refuse(RetainRefused, "a change is not retained over a breached hard gate: %s",
			strings.Join(i.Evaluation.HardGateFailures, ", "))
	}
	if i.Outcome == Continue {
		l.applyStall(&i, f)
	}
	next, err := l.with(i)
	return next, i, err
}

func (l *Ledger) applyStall(i *Iteration, f Facts) {
	limits := Limits{Iterations: l.Contract.IterationLimit, StallThreshold: l.StallThreshold, StallCount: l.StallCount}
	if f.StallCount != "" {
		limits.StallCount = f.StallCount
	}
	report := Report{ErrorSignature: i.ErrorSignature, StateHash: i.StateHash, DependencyMissing: i.DependencyMissing}
	if predicate := Stalled(l.Progress, limits, report); predicate != "" {
		i.promote(predicate)
	}
}

// with appends a checked iteration.
func (l *Ledger) with(i Iteration) (*Ledger, error) {
	record, err := json.Marshal(i)
	if err != nil {
		return nil, fmt.Errorf("iteration %d: %w", i.N, err)
	}
	n := l.next()
	n.records = l.records.with(record)
	n.Completed = append(n.Completed, i.Actions...)
	n.Progress = l.Progress.with(i)
	if i.CriticVerdict != "" {
		n.Pending = nil
	}
	if i.Outcome != Continue {
		n.Status, n.FinalOutcome = Closed, i.Outcome
	}
	return n, nil
}

// checkActions refuses a whole batch for one id that is already complete or is
// there twice: a partial record is a repeat by another name.
func (l *Ledger) checkActions(actions []string) error {
	if len(actions) == 0 {
		return nil
	}
	var found findings
	batch := make(map[string]bool, len(actions))
	wanted := make(map[string]bool, len(actions))
	for _, id := range actions {
		if batch[id] {
			found.add("actions", "%q is there twice in one batch", id)
		}
		batch[id], wanted[id] = true, true
	}
	for _, id := range l.Completed {
		if wanted[id] {
			found.add("actions", "%q is already recorded complete", id)
		}
	}
	return found.refusal(Repeated)
}

// iteration builds the record of the facts and gathers what is wrong with them.
func (l *Ledger) iteration(f Facts) (Iteration, findings) {
	i := Iteration{
		N: l.NextIteration(), Timestamp: stamp(f.Time), Epoch: l.Epoch,
		ReportedOutcome: f.Outcome, Outcome: f.Outcome,
		ErrorSignature: Text(signature.Of(f.Error)), StateHash: HashState(f.State),
		DependencyMissing: clean(f.DependencyMissing),
		Actions:           listed(f.Actions), FilesChanged: listed(f.FilesChanged), CommandsRun: listed(f.CommandsRun),
		EvidencePaths: listed(f.EvidencePaths), EngineWritten: []string{},
		CriticVerdict: Text(f.CriticVerdict), CriticNext: clean(f.CriticNext), CriticBrief: Text(f.CriticBrief),
		Decision: Text(f.Decision), Blocker: clean(f.Blocker), Evidence: clean(f.Evidence),
		RecommendedNext: clean(f.RecommendedNext), Note: clean(f.Note),
	}
	i.ErrorConsecutive = l.Progress.consecutive(i.ErrorSignature)
	i.ErrorTotal = l.Progress.total(i.ErrorSignature)
	var found findings
	if i.DependencyMissing != "" && !l.Contract.DependsOn(string(i.DependencyMissing)) {
		found.add("dependency_missing", "%q is not a declared dependency", i.DependencyMissing)
	}
	if i.Outcome == Escalate {
		needEscalation(&found, "", i.Blocker, i.Evidence, i.RecommendedNext)
	}
	blankItems(&found, i)
	l.checkCritic(&found, i)
	if len(f.Measured) > 0 {
		l.measure(&found, &i, f.Measured)
	}
	return i, found
}

func (l *Ledger) measure(found *findings, i *Iteration, measured []Measurement) {
	read, wrong := readings(l.Contract.Rubric, measured)
	*found = append(*found, wrong...)
	if len(wrong) > 0 {
		return
	}
	evaluation := score(l.Contract.Rubric, read)
	i.Measurements, i.Baseline, i.Evaluation = read, l.Baseline(), &evaluation
}

// needEscalation asks for the three fields of an escalate record.
func needEscalation(found *findings, prefix string, blocker, evidence, next Text) {
	if blocker == "" {
		found.add(prefix+"blocker", "an escalate needs what stopped the loop")
	}
	if evidence == "" {
		found.add(prefix+"evidence", "an escalate needs what shows the blocker")
	}
	if next == "" {
		found.add(prefix+"recommended_next", "an escalate needs what to do next")
	}
}

func blankItems(found *findings, i Iteration) {
	for field, items := range map[string][]string{
		"actions": i.Actions, "files_changed": i.FilesChanged, "commands_run": i.CommandsRun, "evidence_paths": i.EvidencePaths,
	} {
		if slices.ContainsFunc(items, func(item string) bool { return strings.TrimSpace(item) == "" }) {
			found.add(field, "must not hold a blank item")
		}
	}
	slices.SortFunc(*found, func(a, b Finding) int { return strings.Compare(a.Field, b.Field) })
}

// clean trims a text and makes it fit for JSON; a blank one is absent.
func clean(text string) Text {
	text, _ = value.Clean(strings.TrimSpace(text))
	return Text(text)
}

// listed copies a list, never nil, because an empty list is not null in JSON.
func listed(items []string) []string {
	copied := make([]string, 0, len(items))
	for _, item := range items {
		text, _ := value.Clean(item)
		copied = append(copied, text)
	}
	return copied
}
