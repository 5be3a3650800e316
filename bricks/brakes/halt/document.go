package halt

import (
	"fmt"
	"strings"
)

// Markdown is docs/halt-reasons.md, with the stop reasons of a session. It is
// generated, so that the page cannot differ from the program.
func Markdown(stops []Stop) string {
	var b strings.Builder
	b.WriteString(`# Halt reasons

A loop never ends because an agent says so. Every end has a reason that was computed
from what was observed, and every reason has a class. The loop's result carries
reason, class, evidence (which rounds, which ids) and advice; the run exits with the
class, except that class 10 exits 0.

` + "`brickoven explain-halt [RUN]`" + ` tells it of a run, and ` + "`brickoven explain-halt --list`" + `
prints this table. What the brakes are is in [brakes.md](brakes.md).

This page is generated from the table in the program.

| class | reason | kind | meaning | what to do |
|---|---|---|---|---|
`)
	for _, row := range table {
		fmt.Fprintf(&b, "| %d | `%s` | %s | %s | %s: %s |\n", row.Class, row.Reason, row.Kind, row.Meaning, row.Remedy, row.Advice)
	}
	b.WriteString(`
"Raise the limit" replaces the advice for ` + "`max_iterations_reached` and `budget_exceeded`" + `
only if the failing set was strictly shrinking in the last rounds: the last two steps
between known failing sets were each a decrease (the only step, where there is just
one). A loop without a failing set, or whose last failing set could not be read, gets
"do not retry".

## Stop reasons of a session

| stop reason | halt reason | when |
|---|---|---|
`)
	for _, stop := range stops {
		fmt.Fprintf(&b, "| `%s` | `%s` | %s |\n", stop.Stop, stop.Reason, stop.When)
	}
	b.WriteString("\nThe other halt reasons are the brakes' own; they end a session too, and its state\nnames the halt reason.\n\n## Not applicable\n\nThese reasons of other loop runtimes do not exist here, because nothing here could\ncause them.\n\n| class | reason | why not |\n|---|---|---|\n")
	for _, absent := range NotApplicable() {
		fmt.Fprintf(&b, "| %d | `%s` | %s |\n", absent.Class, absent.Reason, absent.Why)
	}
	return b.String()
}
