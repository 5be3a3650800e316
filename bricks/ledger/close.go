package ledger

// Ending is how a loop is closed without another iteration.
type Ending struct {
	// Outcome is any but Continue. Escalate needs the three texts.
	Outcome         Text
	Blocker         string
	Evidence        string
	RecommendedNext string
	Note            string
}

// Close ends an open loop.
func (l *Ledger) Close(e Ending) (*Ledger, error) {
	if !oneOf(Outcomes(), e.Outcome) || e.Outcome == Continue {
		return nil, refuse(Unusable, "the outcome %q does not end a loop; say one of %s", e.Outcome, list(Outcomes()[1:]))
	}
	if l.Status != Open {
		return nil, refuse(WrongState, "the ledger %s is closed with %s", l.Session, l.FinalOutcome)
	}
	c := closing{
		CloseNote: clean(e.Note), CloseBlocker: clean(e.Blocker), CloseEvidence: clean(e.Evidence),
		CloseRecommendedNext: clean(e.RecommendedNext),
	}
	if e.Outcome == Escalate {
		var found findings
		needEscalation(&found, "", c.CloseBlocker, c.CloseEvidence, c.CloseRecommendedNext)
		if err := found.refusal(Malformed); err != nil {
			return nil, err
		}
	}
	n := l.next()
	n.Status, n.FinalOutcome, n.closing = Closed, e.Outcome, c
	return n, nil
}

// Resumption is what a fresh session needs to go on where another one stopped.
type Resumption struct {
	Session  string   `json:"session"`
	Status   string   `json:"status"`
	Epoch    int      `json:"epoch"`
	Contract Contract `json:"contract"`
	// CompletedActions must not be performed again.
	CompletedActions []string `json:"completed_actions"`
	NextIteration    int      `json:"next_iteration"`
	// Resumed counts how often a pause was taken up.
	Resumed int `json:"resumed"`
}

// Resume takes up a loop: an open one is reported as it is, one that ended in a
// pause is opened again. Any other ending, and a pause on the last iteration
// that the contract allows, is refused with code [WrongState].
func (l *Ledger) Resume() (*Ledger, Resumption, error) {
	n := l
	if l.Status != Open {
		if l.FinalOutcome != Pause {
			return nil, Resumption{}, refuse(WrongState, "the ledger %s ended with %s; only a pause is resumed", l.Session, l.FinalOutcome)
		}
		if l.Progress.Recorded >= l.Contract.IterationLimit {
			return nil, Resumption{}, refuse(WrongState,
				"the contract's limit of %d iterations is spent; open a revised contract", l.Contract.IterationLimit)
		}
		n = l.next()
		n.Status, n.FinalOutcome, n.closing = Open, "", closing{}
		n.Resumed++
	}
	return n, Resumption{
		Session: n.Session, Status: n.Status, Epoch: n.Epoch, Contract: n.Contract, CompletedActions: listed(n.Completed),
		NextIteration: n.NextIteration(), Resumed: n.Resumed,
	}, nil
}
