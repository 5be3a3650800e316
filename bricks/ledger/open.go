package ledger

import (
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// Opening is what opens a ledger, or opens it again under a revised contract.
type Opening struct {
	Session  string
	Contract Contract
	// StallThreshold is how many identical errors are a stall; 0 means
	// [DefaultStallThreshold].
	StallThreshold int
	// StallCount is [Consecutive] (also when empty) or [Total].
	StallCount string
	// BaselineEvidence holds transcripts by dimension: the output of its
	// evidence command, from which the baseline was read.
	BaselineEvidence map[string]string
	Time             time.Time
}

// DefaultStallThreshold is how many identical errors are a stall where the
// opening does not say.
const DefaultStallThreshold = 3

// CanOpen refuses (code [WrongState]) to open over a live ledger. previous is
// nil when there is none.
func CanOpen(previous *Ledger) error {
	if previous != nil && previous.Status == Open {
		return refuse(WrongState, "the ledger %s is open; close it first, or discard it with --force", previous.Session)
	}
	return nil
}

// Begin opens a ledger. Over a closed one it opens the next epoch: iterations
// and completed actions stay, the old contract and how it ended move into
// epochs, a pending brief is cleared. previous is nil when there is none, or
// when the caller discards it.
func Begin(previous *Ledger, o Opening) (*Ledger, error) {
	if err := CanOpen(previous); err != nil {
		return nil, err
	}
	if err := CheckSession(o.Session); err != nil {
		return nil, err
	}
	if o.StallThreshold == 0 {
		o.StallThreshold = DefaultStallThreshold
	}
	if o.StallCount == "" {
		o.StallCount = Consecutive
	}
	if o.StallThreshold < 1 || o.StallCount != Consecutive && o.StallCount != Total {
		return nil, refuse(Unusable, "the stall threshold must be at least 1 and the count %s or %s", Consecutive, Total)
	}
	provenance, err := baselineProvenance(o.Contract, o.BaselineEvidence)
	if err != nil {
		return nil, err
	}
	l := &Ledger{head: head{
		Session: o.Session, Status: Open, OpenedAt: stamp(o.Time), Epoch: 1, Epochs: []Epoch{}, Contract: o.Contract,
		Provenance: provenance, Completed: []string{}, StallThreshold: o.StallThreshold, StallCount: o.StallCount,
		Progress: emptyProgress(),
	}}
	if previous != nil {
		l.follow(previous)
	}
	return l, nil
}

// follow takes over what the predecessor leaves.
func (l *Ledger) follow(p *Ledger) {
	own := []int{}
	for n := p.records.len() - p.Progress.Recorded + 1; n <= p.records.len(); n++ {
		own = append(own, n)
	}
	l.Epoch = p.Epoch + 1
	l.Epochs = append(slices.Clip(p.Epochs), Epoch{
		N: p.Epoch, Contract: p.Contract, FinalOutcome: p.FinalOutcome, Iterations: own, closing: p.closing,
	})
	l.Completed = slices.Clip(p.Completed)
	l.Resumed = p.Resumed
	l.OpenedAt = p.OpenedAt
	l.records = p.records
}

// baselineProvenance records which baselines a transcript backs.
func baselineProvenance(c Contract, evidence map[string]string) (map[string]string, error) {
	var found findings
	provenance := map[string]string{}
	for _, d := range c.Rubric {
		provenance[d.Name] = Declared
		transcript, has := evidence[d.Name]
		if !has {
			continue
		}
		provenance[d.Name] = Measured
		switch {
		case strings.TrimSpace(transcript) == "":
			return nil, refuse(InputUnreadable, "the baseline evidence for %s is empty", d.Name)
		case !HoldsNumber(strings.ToValidUTF8(transcript, string(utf8.RuneError)), d.Baseline):
			found.add("baseline_evidence."+d.Name, "the transcript does not hold the declared baseline %s as a number", d.Baseline)
		}
	}
	for name := range evidence {
		if _, declared := provenance[name]; !declared {
			found.add("baseline_evidence."+name, "is not a dimension of the rubric")
		}
	}
	slices.SortFunc(found, func(a, b Finding) int { return strings.Compare(a.Field, b.Field) })
	return provenance, found.refusal(Malformed)
}
