package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/brickoven/brickoven/bricks/ledger"
	"github.com/brickoven/brickoven/bricks/ledger/store"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// ledgerOpening holds the flags of ledger open.
type ledgerOpening struct {
	contract  string
	threshold int
	count     string
	force     bool
	evidence  []string
}

func (l *ledgerCommand) openCommand() *cobra.Command {
	o := &ledgerOpening{}
	return l.command("open --session ID --contract FILE", "Open a ledger, or open a closed one again under a revised contract",
		func(flags *pflag.FlagSet) {
			flags.StringVar(&o.contract, "contract", "", "the contract, JSON or YAML (- for standard input)")
			flags.IntVar(&o.threshold, "stall-threshold", ledger.DefaultStallThreshold, "how many identical errors are a stall")
			flags.StringVar(&o.count, "count", ledger.Consecutive, "which identical errors count: consecutive or total")
			flags.BoolVar(&o.force, "force", false, "discard the ledger that is there")
			flags.StringArrayVar(&o.evidence, "baseline-evidence", nil, "DIMENSION=FILE: a transcript that shows the declared baseline (repeatable)")
		},
		noArgs(func(ctx context.Context) (answer, error) { return l.open(ctx, o) }))
}

func (l *ledgerCommand) open(ctx context.Context, o *ledgerOpening) (answer, error) {
	if o.contract == "" {
		return answer{}, usageError("--contract is missing")
	}
	if o.threshold < 1 {
		return answer{}, usageError("--stall-threshold must be at least 1")
	}
	s, err := l.sessionStore()
	if err != nil {
		return answer{}, err
	}
	locations, err := l.locations()
	if err != nil {
		return answer{}, err
	}
	if err := locations.Claim(); err != nil {
		return answer{}, &ledger.Refusal{Code: ledger.Unusable, Message: err.Error()}
	}
	var opened *ledger.Ledger
	err = s.Open(ctx, l.session, o.force, func(previous *ledger.Ledger) (*ledger.Ledger, error) {
		if err := ledger.CanOpen(previous); err != nil {
			return nil, err
		}
		opening, err := l.opening(o)
		if err != nil {
			return nil, err
		}
		opened, err = ledger.Begin(previous, opening)
		return opened, err
	})
	if err != nil {
		return answer{}, err
	}
	text := fmt.Sprintf("opened %s, epoch %d, next iteration %d", opened.Session, opened.Epoch, opened.NextIteration())
	return answer{text: text, value: map[string]any{
		"session": opened.Session, "status": opened.Status, "epoch": opened.Epoch, "next_iteration": opened.NextIteration(),
		"baseline_provenance": opened.Provenance,
	}}, nil
}

// opening reads the contract and the transcripts.
func (l *ledgerCommand) opening(o *ledgerOpening) (ledger.Opening, error) {
	data, err := l.readInput(o.contract)
	if err != nil {
		return ledger.Opening{}, usageError("--contract: %s", err)
	}
	places, err := l.places()
	if err != nil {
		return ledger.Opening{}, err
	}
	contract, err := ledger.ReadContract(data, ledger.FormatOf(o.contract, data), places)
	if err != nil {
		return ledger.Opening{}, err
	}
	evidence := map[string]string{}
	for _, pair := range o.evidence {
		dimension, path, ok := cutEvidence(contract, pair)
		if !ok {
			return ledger.Opening{}, usageError("--baseline-evidence %q is not DIMENSION=FILE", pair)
		}
		if _, twice := evidence[dimension]; twice {
			return ledger.Opening{}, usageError("--baseline-evidence is given twice for %s", dimension)
		}
		transcript, err := l.readExhibit("baseline-evidence", path)
		if err != nil {
			return ledger.Opening{}, err
		}
		evidence[dimension] = string(transcript)
	}
	return ledger.Opening{
		Session: l.session, Contract: contract, StallThreshold: o.threshold, StallCount: o.count,
		BaselineEvidence: evidence, Time: l.now(),
	}, nil
}

// cutEvidence splits DIMENSION=FILE. Both may hold equals signs, so a declared
// dimension decides.
func cutEvidence(c ledger.Contract, pair string) (dimension, path string, ok bool) {
	for _, d := range c.Rubric {
		if rest, found := strings.CutPrefix(pair, d.Name+"="); found && len(d.Name) > len(dimension) {
			dimension, path, ok = d.Name, rest, true
		}
	}
	if ok {
		return dimension, path, true
	}
	return strings.Cut(pair, "=")
}

// places resolves programs on this machine.
func (l *ledgerCommand) places() (store.Places, error) {
	root, err := l.project()
	if err != nil {
		return store.Places{}, err
	}
	return l.app.programs(root), nil
}
