package ledger

import (
	"fmt"
	"time"

	"github.com/brickoven/brickoven/recipes/value"
)

// ending checks how the ledger says the loop stands.
func (i *inspection) ending() {
	l := i.ledger
	open := l.Status == Open
	if open != (l.FinalOutcome == "") || l.FinalOutcome == Continue || !open && !oneOf(Outcomes(), l.FinalOutcome) {
		i.broken.add("final_outcome", "%q does not fit the status %s", l.FinalOutcome, l.Status)
	}
	if open && l.Progress.Recorded > 0 {
		last := i.iterations[len(i.iterations)-1]
		if last.Outcome != Continue && (last.Outcome != Pause || l.Resumed == 0) {
			i.broken.add("status", "is open although iteration %d ended the loop with %s", last.N, last.Outcome)
		}
	}
	if l.FinalOutcome == Escalate && !i.endedByIteration() {
		needEscalation(&i.refused, "close_", l.CloseBlocker, l.CloseEvidence, l.CloseRecommendedNext)
	}
	for at, e := range l.Epochs {
		if e.FinalOutcome == Escalate && e.CloseBlocker == "" && !i.epochEscalated(e) {
			i.refused.add(fmt.Sprintf("epochs[%d]", at), "an escalate needs blocker, evidence and recommended_next")
		}
	}
}

func (i *inspection) endedByIteration() bool {
	if i.ledger.Progress.Recorded == 0 {
		return false
	}
	return i.iterations[len(i.iterations)-1].Outcome == i.ledger.FinalOutcome
}

func (i *inspection) epochEscalated(e Epoch) bool {
	if len(e.Iterations) == 0 {
		return false
	}
	last := e.Iterations[len(e.Iterations)-1]
	return last >= 1 && last <= len(i.iterations) && i.iterations[last-1].Outcome == Escalate
}

// records checks each iteration as Record would have.
func (i *inspection) records() {
	for at, it := range i.iterations {
		prefix := fmt.Sprintf("iterations[%d].", at)
		i.outcome(prefix, at, it)
		if it.Outcome == Escalate {
			needEscalation(&i.refused, prefix, it.Blocker, it.Evidence, it.RecommendedNext)
		}
		if _, err := time.Parse(time.RFC3339, it.Timestamp); it.Timestamp != "" && err != nil {
			i.refused.add(prefix+"timestamp", "%q is not a time in UTC", it.Timestamp)
		}
		if it.Decision != "" && !oneOf(Decisions(), it.Decision) {
			i.refused.add(prefix+"decision", "%q is not one of %s", it.Decision, list(Decisions()))
		}
		if it.CriticVerdict != "" {
			needVerdict(&i.refused, prefix, it)
		}
		i.evaluation(prefix, it)
	}
}

func (i *inspection) outcome(prefix string, at int, it Iteration) {
	if !oneOf(Outcomes(), it.Outcome) || !oneOf(Outcomes(), it.ReportedOutcome) {
		i.broken.add(prefix+"outcome", "%q and reported %q are not both of %s", it.Outcome, it.ReportedOutcome, list(Outcomes()))
		return
	}
	promoted := it.Outcome != it.ReportedOutcome
	if promoted != (it.Stall != "") || promoted && (it.ReportedOutcome != Continue || stallOutcome(it.Stall) != it.Outcome) {
		i.refused.add(prefix+"stall", "%q does not explain how %s became %s", it.Stall, it.ReportedOutcome, it.Outcome)
	}
	sameEpoch := at+1 < len(i.iterations) && i.iterations[at+1].Epoch == it.Epoch
	if sameEpoch && it.Outcome != Continue && it.Outcome != Pause {
		i.refused.add(prefix+"outcome", "%s ends the loop, but iteration %d follows in the same epoch", it.Outcome, it.N+1)
	}
}

// evaluation checks that what was recorded follows from what was measured.
func (i *inspection) evaluation(prefix string, it Iteration) {
	if it.Measurements == nil {
		if it.Evaluation != nil {
			i.refused.add(prefix+"evaluation", "is there without measurements")
		}
		return
	}
	contract, known := i.contractOf(it.Epoch)
	if !known {
		return
	}
	var measured []Measurement
	for _, name := range sortedKeys(it.Measurements) {
		measured = append(measured, Measurement{name, it.Measurements[name].String()})
	}
	want, err := Score(contract.Rubric, measured)
	if err != nil {
		i.refused.add(prefix+"measurements", "%s", err)
		return
	}
	if it.Evaluation == nil || it.Evaluation.Verdict != want.Verdict || !equalNumbers(it.Evaluation.WeightedTotal, want.WeightedTotal) {
		i.refused.add(prefix+"evaluation", "does not follow from the measurements, which give %s with a total of %s",
			want.Verdict, want.WeightedTotal)
	}
	if it.Decision == retain && want.Verdict == VerdictFail {
		i.refused.add(prefix+"decision", "retains a change over a breached hard gate: %v", want.HardGateFailures)
	}
}

func (i *inspection) contractOf(epoch int) (Contract, bool) {
	if epoch == i.ledger.Epoch {
		return i.ledger.Contract, true
	}
	for _, e := range i.ledger.Epochs {
		if e.N == epoch {
			return e.Contract, true
		}
	}
	return Contract{}, false
}

func equalNumbers(a, b value.Number) bool {
	return checkNumber(a.String()) == "" && checkNumber(b.String()) == "" && rational(a).Cmp(rational(b)) == 0
}
