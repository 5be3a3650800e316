package ledger

import "github.com/brickoven/brickoven/recipes/value"

// Status is what a ledger says about its loop. It reports what was recorded and
// decides nothing again (seed 002, What status reports about quality).
type Status struct {
	Session          string     `json:"session"`
	Status           string     `json:"status"`
	FinalOutcome     Text       `json:"final_outcome"`
	Epoch            int        `json:"epoch"`
	OpenedAt         string     `json:"opened_at"`
	Iterations       int        `json:"iterations"`
	IterationLimit   int        `json:"iteration_limit"`
	CompletedActions []string   `json:"completed_actions"`
	Stalls           []StallHit `json:"stalls"`
	LastOutcome      Text       `json:"last_outcome"`
	LastTimestamp    Text       `json:"last_timestamp"`
	// The five quality keys come from one record, the newest that was scored,
	// reviewed or decided; QualityFrom is its number. What that record does not
	// carry is null, which does not mean that no other record does.
	RubricVerdict Text          `json:"rubric_verdict"`
	WeightedTotal *value.Number `json:"weighted_total"`
	CriticVerdict Text          `json:"critic_verdict"`
	Decision      Text          `json:"decision"`
	QualityFrom   *int          `json:"quality_from"`
	// BaselinesMeasured counts the dimensions of this epoch whose baseline a
	// transcript backed, out of BaselinesTotal.
	BaselinesMeasured int     `json:"baselines_measured"`
	BaselinesTotal    int     `json:"baselines_total"`
	PendingBrief      Text    `json:"pending_brief"`
	Resumed           int     `json:"resumed"`
	Blocker           Text    `json:"blocker"`
	Evidence          Text    `json:"evidence"`
	RecommendedNext   Text    `json:"recommended_next"`
	Epochs            []Ended `json:"epochs"`
}

// StallHit is one iteration that a stall predicate ended.
type StallHit struct {
	N         int  `json:"n"`
	Epoch     int  `json:"epoch"`
	Predicate Text `json:"predicate"`
	Outcome   Text `json:"outcome"`
}

// Ended is how an earlier epoch ended.
type Ended struct {
	N            int   `json:"n"`
	FinalOutcome Text  `json:"final_outcome"`
	Iterations   []int `json:"iterations"`
}

// Report sums the ledger up. examined is false when it holds no iterations, so
// that nothing was examined (exit code [NothingExamined]).
func (l *Ledger) Report() (s Status, examined bool, err error) {
	iterations, err := l.Iterations()
	if err != nil {
		return Status{}, false, err
	}
	s = Status{
		Session: l.Session, Status: l.Status, FinalOutcome: l.FinalOutcome, Epoch: l.Epoch, OpenedAt: l.OpenedAt,
		Iterations: len(iterations), IterationLimit: l.Contract.IterationLimit, CompletedActions: listed(l.Completed),
		Stalls: []StallHit{}, BaselinesTotal: len(l.Contract.Rubric), Resumed: l.Resumed, Epochs: []Ended{},
		Blocker: l.CloseBlocker, Evidence: l.CloseEvidence, RecommendedNext: l.CloseRecommendedNext,
	}
	for _, source := range l.Provenance {
		if source == Measured {
			s.BaselinesMeasured++
		}
	}
	if l.Pending != nil {
		s.PendingBrief = Text(l.Pending.BriefID)
	}
	for _, e := range l.Epochs {
		s.Epochs = append(s.Epochs, Ended{N: e.N, FinalOutcome: e.FinalOutcome, Iterations: e.Iterations})
	}
	for _, i := range iterations {
		s.take(i)
	}
	if len(iterations) > 0 {
		s.last(iterations[len(iterations)-1], l)
	}
	return s, len(iterations) > 0, nil
}

// last reports the newest iteration, and its blocker where the loop ended in it.
func (s *Status) last(i Iteration, l *Ledger) {
	s.LastOutcome, s.LastTimestamp = i.Outcome, Text(i.Timestamp)
	if i.Epoch == l.Epoch && l.Status == Closed && l.CloseBlocker == "" && i.Outcome == l.FinalOutcome {
		s.Blocker, s.Evidence, s.RecommendedNext = i.Blocker, i.Evidence, i.RecommendedNext
	}
}

// take reports one iteration; a later judged one replaces the whole judgment.
func (s *Status) take(i Iteration) {
	if i.Stall != "" {
		s.Stalls = append(s.Stalls, StallHit{N: i.N, Epoch: i.Epoch, Predicate: i.Stall, Outcome: i.Outcome})
	}
	if !i.judged() {
		return
	}
	n := i.N
	s.QualityFrom, s.RubricVerdict, s.WeightedTotal = &n, "", nil
	s.CriticVerdict, s.Decision = i.CriticVerdict, i.Decision
	if i.Evaluation != nil {
		s.RubricVerdict, s.WeightedTotal = Text(i.Evaluation.Verdict), &i.Evaluation.WeightedTotal
	}
}
