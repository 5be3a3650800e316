package main

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/brickoven/brickoven/bricks/ledger"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

func (l *ledgerCommand) scoreCommand() *cobra.Command {
	var measures []string
	return l.command("score --session ID --measure DIMENSION=NUMBER …", "Score one measurement per dimension, without recording it",
		func(flags *pflag.FlagSet) {
			flags.StringArrayVar(&measures, "measure", nil, "DIMENSION=NUMBER: one reading per dimension of the rubric (repeatable)")
		},
		noArgs(func(context.Context) (answer, error) {
			current, err := l.read()
			if err != nil {
				return answer{}, err
			}
			e, err := ledger.Score(current.Contract.Rubric, measurements(measures))
			if err != nil {
				return answer{}, err
			}
			found := answer{value: e, text: scoreText(e)}
			if e.Verdict == ledger.VerdictFail {
				found.code = ledger.Breached
				found.why = "a hard gate is breached: " + strings.Join(e.HardGateFailures, ", ")
			}
			return found, nil
		}))
}

func scoreText(e ledger.Evaluation) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, weighted total %s\n", e.Verdict, e.WeightedTotal)
	for _, d := range e.Dimensions {
		note := ""
		if d.GateFailed {
			note = ", past its threshold " + d.FailureThreshold.String()
		}
		fmt.Fprintf(&b, "  %s: %s, score %s of weight %s%s\n", d.Dimension, d.Measured, d.Score, d.Weight, note)
	}
	return b.String()
}

func (l *ledgerCommand) resumeCommand() *cobra.Command {
	return l.command("resume --session ID", "Take a loop up again where a session left it", nil,
		noArgs(func(ctx context.Context) (answer, error) {
			var r ledger.Resumption
			err := l.update(ctx, func(current *ledger.Ledger) (*ledger.Ledger, error) {
				var next *ledger.Ledger
				var err error
				next, r, err = current.Resume()
				return next, err
			})
			if err != nil {
				return answer{}, err
			}
			text := fmt.Sprintf("%s is %s, next iteration %d\n", r.Session, r.Status, r.NextIteration)
			if len(r.CompletedActions) > 0 {
				text += "already done: " + strings.Join(r.CompletedActions, ", ")
			}
			return answer{value: r, text: text}, nil
		}))
}

func (l *ledgerCommand) statusCommand() *cobra.Command {
	return l.command("status --session ID", "Report what the ledger says, without deciding anything again", nil,
		noArgs(func(context.Context) (answer, error) {
			current, err := l.read()
			if err != nil {
				return answer{}, err
			}
			s, examined, err := current.Report()
			if err != nil {
				return answer{}, err
			}
			found := answer{value: s, text: statusText(s)}
			if !examined {
				found.code, found.why = ledger.NothingExamined, "the ledger holds no iterations; nothing was examined"
			}
			return found, nil
		}))
}

func statusText(s ledger.Status) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s", s.Session, s.Status)
	if s.FinalOutcome != "" {
		fmt.Fprintf(&b, " with %s", s.FinalOutcome)
	}
	fmt.Fprintf(&b, ", epoch %d, %d iterations (limit %d), %d actions done\n", s.Epoch, s.Iterations, s.IterationLimit, len(s.CompletedActions))
	if s.LastOutcome != "" {
		fmt.Fprintf(&b, "last: %s at %s\n", s.LastOutcome, s.LastTimestamp)
	}
	for _, hit := range s.Stalls {
		fmt.Fprintf(&b, "stall: %s in iteration %d (epoch %d), recorded %s\n", hit.Predicate, hit.N, hit.Epoch, hit.Outcome)
	}
	if s.QualityFrom != nil {
		total := "none"
		if s.WeightedTotal != nil {
			total = s.WeightedTotal.String()
		}
		fmt.Fprintf(&b, "quality from iteration %d: rubric %s, total %s, critic %s, decision %s\n",
			*s.QualityFrom, orNone(s.RubricVerdict), total, orNone(s.CriticVerdict), orNone(s.Decision))
	}
	fmt.Fprintf(&b, "baselines measured: %d of %d\n", s.BaselinesMeasured, s.BaselinesTotal)
	if s.Blocker != "" {
		fmt.Fprintf(&b, "blocker: %s\nevidence: %s\nnext: %s\n", s.Blocker, orNone(s.Evidence), orNone(s.RecommendedNext))
	}
	return b.String()
}

func orNone(text ledger.Text) string {
	if text == "" {
		return "none"
	}
	return string(text)
}

// checkedFile is one ledger file and what is wrong with it.
type checkedFile struct {
	File     string           `json:"file"`
	Findings []ledger.Finding `json:"findings"`
}

func (l *ledgerCommand) checkCommand() *cobra.Command {
	return l.command("check [FILES]", "Check ledgers, whoever wrote them, for what the engine would have refused", nil,
		func(_ context.Context, files []string) (answer, error) {
			if len(files) == 0 {
				s, err := l.store()
				if err != nil {
					return answer{}, err
				}
				if files, err = s.Files(); err != nil {
					return answer{}, err
				}
			}
			return checkLedgers(files)
		})
}

// checkLedgers checks all files. Nothing examined is not nothing found, so it
// has an exit code of its own.
func checkLedgers(files []string) (answer, error) {
	checked := []checkedFile{}
	total := 0
	var text strings.Builder
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			return answer{}, usageError("%s", err)
		}
		findings := append([]ledger.Finding{}, ledger.Check(data)...)
		checked = append(checked, checkedFile{File: file, Findings: findings})
		total += len(findings)
		for _, f := range findings {
			fmt.Fprintf(&text, "%s: %s\n", file, f)
		}
	}
	fmt.Fprintf(&text, "%d ledgers checked, %d findings\n", len(files), total)
	found := answer{
		value: map[string]any{"files": checked, "examined": len(files), "findings": total}, text: text.String(),
	}
	switch {
	case len(files) == 0:
		found.code, found.why = ledger.NothingExamined, "there are no ledgers; nothing was examined"
	case total > 0:
		found.code, found.why = ledger.Malformed, fmt.Sprintf("%d findings in %d ledgers", total, len(files))
	}
	return found, nil
}
