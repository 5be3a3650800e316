package verdict

// contradiction is a verdict of the judge that the evidence speaks against.
type contradiction struct {
	source Source // the verdict's source once it is turned into STUCK
	why    string
}

// contradiction compares a verdict with what was measured; nil means that
// nothing speaks against it. Repeated output is prose: beside real movement it
// contradicts nothing.
func (q Question) contradiction(verdict string) *contradiction {
	f := factsOf(q.Evidence)
	moved := len(f.movements()) > 0
	switch verdict {
	case Continue:
		if f.observed() && !moved {
			return &contradiction{EvidenceContradiction, "CONTINUE, although nothing that was observed moved"}
		}
	case Done:
		if q.GoalMet == "false" {
			return &contradiction{EvidenceContradiction, "DONE, although the caller says that the goal is not met"}
		}
		if q.GoalMet == "" && !moved && !f.is("moved_earlier") {
			return &contradiction{DoneWithoutEvidence, "DONE, although nothing moved since the loop began and no goal signal was given"}
		}
	}
	return nil
}
