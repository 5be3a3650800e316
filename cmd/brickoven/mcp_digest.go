package main

import (
	"github.com/brickoven/brickoven/runner/report"
)

// runDigest is a run as an agent reads it: what a page shows, without outputs.
type runDigest struct {
	Run      string       `json:"run"`
	Recipe   string       `json:"recipe"`
	Status   string       `json:"status" jsonschema_description:"success, degraded, failed, refused, interrupted, crashed, running, damaged or empty"`
	EndedOK  bool         `json:"ended_ok"`
	Running  bool         `json:"running"`
	ExitCode int          `json:"exit_code"`
	Title    string       `json:"title"`
	Reason   string       `json:"reason,omitempty"`
	Step     string       `json:"step,omitempty" jsonschema_description:"the step that ended the run, or that runs"`
	Error    string       `json:"error,omitempty" jsonschema_description:"the end of what that step said"`
	Advice   string       `json:"advice,omitempty"`
	Commands []string     `json:"commands"`
	Seconds  float64      `json:"seconds"`
	CostUSD  *float64     `json:"cost_usd,omitempty"`
	Loops    []loopDigest `json:"loops"`
	Steps    []stepDigest `json:"steps"`
	Warnings []string     `json:"warnings"`
}

type stepDigest struct {
	Path    string  `json:"path"`
	Status  string  `json:"status"`
	Seconds float64 `json:"seconds"`
	Error   string  `json:"error,omitempty"`
}

type loopDigest struct {
	Path         string        `json:"path"`
	HaltReason   string        `json:"halt_reason,omitempty"`
	Class        int           `json:"class,omitempty"`
	Advice       string        `json:"advice,omitempty"`
	LastMoved    int           `json:"last_round_that_moved,omitempty"`
	Rounds       []roundDigest `json:"rounds"`
	FailingTests []string      `json:"failing_tests,omitempty"`
}

type roundDigest struct {
	Round         int      `json:"round"`
	Verdict       string   `json:"verdict,omitempty"`
	Moved         []string `json:"moved,omitempty"`
	NotConverging []string `json:"not_converging,omitempty"`
	Check         string   `json:"check,omitempty"`
	Seconds       float64  `json:"seconds"`
}

func newDigest(run *report.Run) runDigest {
	d := runDigest{
		Run: run.ID, Recipe: run.Recipe, Status: string(run.End.Standing), EndedOK: run.End.Good, Running: !run.End.Over,
		ExitCode: run.End.ExitCode, Title: run.Title(), Reason: run.End.Reason, Error: run.End.Excerpt, Advice: run.End.Advice,
		Commands: append([]string{}, run.End.Commands...), Seconds: run.Duration.Seconds(),
		Loops: []loopDigest{}, Steps: []stepDigest{}, Warnings: append([]string{}, run.Notices...),
	}
	if run.End.Step != nil {
		d.Step = run.End.Step.Path
	}
	if u := run.Spent.Usage; u != nil {
		d.CostUSD = u.CostUSD
	}
	for _, l := range run.Loops {
		d.Loops = append(d.Loops, digestLoop(l))
	}
	for _, st := range run.All {
		if !st.InJudge() {
			d.Steps = append(d.Steps, stepDigest{Path: st.Path, Status: string(st.Status), Seconds: st.Duration.Seconds(), Error: st.Error})
		}
	}
	for _, w := range run.Warnings {
		d.Warnings = append(d.Warnings, at(w.Path)+w.Text)
	}
	return d
}

func digestLoop(l *report.Loop) loopDigest {
	d := loopDigest{Path: l.Path, Rounds: []roundDigest{}}
	if l.Halt != nil {
		d.HaltReason, d.Class, d.Advice = l.Halt.Reason, l.Halt.Class, l.Halt.Advice
	}
	if l.Moved != nil {
		d.LastMoved = l.Moved.Number
	}
	for _, r := range l.Rounds {
		round := roundDigest{
			Round: r.Number, Verdict: r.Verdict.Word, Moved: r.Verdict.Moved, NotConverging: r.Verdict.NotConverging,
			Seconds: r.Duration.Seconds(),
		}
		if r.Check != nil {
			round.Check = string(r.Check.Status)
		}
		d.Rounds = append(d.Rounds, round)
		d.FailingTests = r.Failing
	}
	return d
}
