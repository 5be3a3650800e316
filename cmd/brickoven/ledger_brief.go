package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/brickoven/brickoven/bricks/ledger"
	"github.com/brickoven/brickoven/recipes/value"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

func (l *ledgerCommand) briefCommand() *cobra.Command {
	var diffFile, verificationFile, scopeFile string
	return l.command("brief --session ID --diff-file FILE --verification-file FILE", "Assemble the packet that a critic judges, and arm it",
		func(flags *pflag.FlagSet) {
			flags.StringVar(&diffFile, "diff-file", "", "the unified diff of the change")
			flags.StringVar(&verificationFile, "verification-file", "", "the output that shows the change works")
			flags.StringVar(&scopeFile, "change-scope", "", "a transcript that names the changed paths, such as git show --stat")
		},
		noArgs(func(ctx context.Context) (answer, error) {
			if diffFile == "" || verificationFile == "" {
				return answer{}, usageError("--diff-file and --verification-file are needed")
			}
			return l.brief(ctx, diffFile, verificationFile, scopeFile)
		}))
}

func (l *ledgerCommand) brief(ctx context.Context, diffFile, verificationFile, scopeFile string) (answer, error) {
	var packet ledger.Packet
	var replaced string
	err := l.update(ctx, func(current *ledger.Ledger) (*ledger.Ledger, error) {
		if current.Status != ledger.Open {
			next, _, _, err := current.Brief(nil, nil, nil)
			return next, err
		}
		diff, err := l.readExhibit("diff-file", diffFile)
		if err != nil {
			return nil, err
		}
		verification, err := l.readExhibit("verification-file", verificationFile)
		if err != nil {
			return nil, err
		}
		var scope []byte
		if scopeFile != "" {
			if scope, err = l.readExhibit("change-scope", scopeFile); err != nil {
				return nil, err
			}
		}
		var next *ledger.Ledger
		next, packet, replaced, err = current.Brief(diff, verification, scope)
		return next, err
	})
	if err != nil {
		return answer{}, err
	}
	fields, _ := value.From(packet).(map[string]any)
	fields["replaced_brief"] = nil
	if replaced != "" {
		fields["replaced_brief"] = replaced
	}
	return answer{value: fields, text: packetText(packet, replaced)}, nil
}

// packetText is the whole packet for a critic who reads text.
func packetText(p ledger.Packet, replaced string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "brief %s for iteration %d of %s\n", p.BriefID, p.Iteration, p.Session)
	if replaced != "" {
		fmt.Fprintf(&b, "it replaces the pending brief %s\n", replaced)
	}
	fmt.Fprintf(&b, "\n## scope: %s\n", p.Scope.Provenance)
	writeList(&b, "declared", p.Scope.DeclaredPaths)
	writeList(&b, "in the diff", p.Scope.DiffPaths)
	writeList(&b, "not declared", p.Scope.UndeclaredPaths)
	writeList(&b, "cut off", p.Scope.Incomplete)
	b.WriteString("\n## rubric and baseline\n")
	for _, d := range p.Rubric {
		fmt.Fprintf(&b, "- %s: baseline %s, target %s, weight %s, threshold %s, %s, hard gate %t: %s\n",
			d.Name, p.Baseline[d.Name], d.Target, d.Weight, d.FailureThreshold, d.Direction, d.HardGate, d.EvidenceCommand)
	}
	fmt.Fprintf(&b, "\n## asks\n- %s\n", strings.Join(p.Asks, "\n- "))
	words := make([]string, len(p.Verdicts))
	for i, verdict := range p.Verdicts {
		words[i] = string(verdict)
	}
	fmt.Fprintf(&b, "\n## verdicts\n%s\n", strings.Join(words, " "))
	fmt.Fprintf(&b, "\n## diff\n%s\n\n## verification\n%s\n", strings.TrimRight(p.Diff, "\n"), strings.TrimRight(p.Verification, "\n"))
	return b.String()
}

func writeList(b *strings.Builder, title string, items []string) {
	if len(items) > 0 {
		fmt.Fprintf(b, "%s: %s\n", title, strings.Join(items, ", "))
	}
}
