package main

import (
	"context"
	"fmt"

	"github.com/brickoven/brickoven/bricks/ledger"
	"github.com/brickoven/brickoven/recipes/value"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

func (l *ledgerCommand) iterateCommand() *cobra.Command {
	var outcome string
	var measures []string
	f := &ledger.Facts{}
	return l.command("iterate --session ID --outcome OUTCOME", "Record one iteration",
		func(flags *pflag.FlagSet) {
			flags.StringVar(&outcome, "outcome", "", "continue, complete, revise, escalate, pause or stop")
			flags.StringArrayVar(&f.Actions, "action", nil, "the stable id of a completed action (repeatable)")
			flags.StringVar(&f.Error, "error", "", "the error the iteration ended with")
			flags.StringVar(&f.State, "state", "", "a text that stays the same when nothing has moved")
			flags.StringVar(&f.DependencyMissing, "dependency-missing", "", "a declared dependency that could not be reached")
			escalationFlags(flags, &f.Blocker, &f.Evidence, &f.RecommendedNext)
			flags.StringArrayVar(&measures, "measure", nil, "DIMENSION=NUMBER: one reading per dimension of the rubric (repeatable)")
			flags.StringArrayVar(&f.FilesChanged, "files-changed", nil, "a changed file (repeatable)")
			flags.StringArrayVar(&f.CommandsRun, "command-run", nil, "a command that was run (repeatable)")
			flags.StringArrayVar(&f.EvidencePaths, "evidence-path", nil, "a file that holds evidence (repeatable)")
			flags.StringVar(&f.CriticVerdict, "critic-verdict", "", "PASS, FAIL, REVISE, REVERT or ESCALATE")
			flags.StringVar(&f.CriticNext, "critic-next", "", "the critic's single most valuable next improvement")
			flags.StringVar(&f.CriticBrief, "critic-brief", "", "the id of the brief the verdict is about")
			flags.StringVar(&f.Decision, "decision", "", "retain, revert, revise or escalate")
			flags.StringVar(&f.Note, "note", "", "a note for a later reader")
			flags.StringVar(&f.StallCount, "count", "", "which identical errors count: consecutive or total (default: as opened)")
		},
		noArgs(func(ctx context.Context) (answer, error) {
			if outcome == "" {
				return answer{}, usageError("--outcome is missing")
			}
			f.Outcome, f.Time, f.Measured = ledger.Text(outcome), l.now(), measurements(measures)
			return l.iterate(ctx, *f)
		}))
}

func escalationFlags(flags *pflag.FlagSet, blocker, evidence, next *string) {
	flags.StringVar(blocker, "blocker", "", "what stopped the loop, in one sentence (escalate)")
	flags.StringVar(evidence, "evidence", "", "what shows it: an exit code, output, a path (escalate)")
	flags.StringVar(next, "recommended-next", "", "what the next session should do about it (escalate)")
}

func measurements(pairs []string) []ledger.Measurement {
	var measured []ledger.Measurement
	for _, pair := range pairs {
		measured = append(measured, ledger.ParseMeasurement(pair))
	}
	return measured
}

func (l *ledgerCommand) iterate(ctx context.Context, f ledger.Facts) (answer, error) {
	var record ledger.Iteration
	var after *ledger.Ledger
	err := l.update(ctx, func(current *ledger.Ledger) (*ledger.Ledger, error) {
		var err error
		after, record, err = current.Record(f)
		return after, err
	})
	if err != nil {
		return answer{}, err
	}
	text := fmt.Sprintf("iteration %d: %s", record.N, record.Outcome)
	if record.Stall != "" {
		text = fmt.Sprintf("iteration %d: reported %s, recorded %s (%s)", record.N, record.ReportedOutcome, record.Outcome, record.Stall)
	}
	if e := record.Evaluation; e != nil {
		text += fmt.Sprintf(", score %s %s", e.WeightedTotal, e.Verdict)
	}
	fields, _ := value.From(record).(map[string]any)
	fields["session"], fields["status"], fields["next_iteration"] = after.Session, after.Status, after.NextIteration()
	return answer{value: fields, text: text}, nil
}

func (l *ledgerCommand) closeCommand() *cobra.Command {
	var outcome string
	e := &ledger.Ending{}
	return l.command("close --session ID --outcome OUTCOME", "End a loop without another iteration",
		func(flags *pflag.FlagSet) {
			flags.StringVar(&outcome, "outcome", "", "complete, revise, escalate, pause or stop")
			escalationFlags(flags, &e.Blocker, &e.Evidence, &e.RecommendedNext)
			flags.StringVar(&e.Note, "note", "", "a note for a later reader")
		},
		noArgs(func(ctx context.Context) (answer, error) {
			if outcome == "" {
				return answer{}, usageError("--outcome is missing")
			}
			e.Outcome = ledger.Text(outcome)
			return l.close(ctx, *e)
		}))
}

func (l *ledgerCommand) close(ctx context.Context, e ledger.Ending) (answer, error) {
	var after *ledger.Ledger
	err := l.update(ctx, func(current *ledger.Ledger) (*ledger.Ledger, error) {
		var err error
		after, err = current.Close(e)
		return after, err
	})
	if err != nil {
		return answer{}, err
	}
	return answer{
		text: fmt.Sprintf("closed %s with %s after %d iterations", after.Session, after.FinalOutcome, after.Len()),
		value: map[string]any{
			"session": after.Session, "status": after.Status, "final_outcome": string(after.FinalOutcome), "epoch": after.Epoch,
			"iterations": after.Len(),
		},
	}, nil
}
