package expression_test

import (
	"fmt"
	"testing"

	"github.com/brickoven/brickoven/recipes/expression"
	"github.com/brickoven/brickoven/recipes/value"
)

// BenchmarkTest runs conditions that are compiled once; the bound is 1 µs.
func BenchmarkTest(b *testing.B) {
	variables := map[string]any{
		"loop_health":   map[string]any{"loop_verdict": "CONTINUE"},
		"loop_evidence": map[string]any{"terminal_refusal": "false"},
		"round":         value.Number("3"), "limit": value.Number("10"),
		"steps": map[string]any{"build": map[string]any{"status": "completed"}},
	}
	lookup := lookupIn(variables)
	for _, condition := range []string{
		"loop_health.loop_verdict == 'CONTINUE'",
		"loop_evidence.terminal_refusal == 'false'",
		"round < limit and steps.build.status == 'completed'",
		"token(loop_health.loop_verdict) == 'CONTINUE'",
		"not loop_health.missing",
		"'CONT' in loop_health.loop_verdict",
	} {
		b.Run(condition, func(b *testing.B) {
			p := mustCompile(b, condition)
			b.ReportAllocs()
			for b.Loop() {
				if ok, _, err := p.Test(lookup); !ok || err != nil {
					b.Fatal(ok, err)
				}
			}
		})
	}
}

// BenchmarkLoad compiles 10,000 conditions as a recipe does; the bound is 0.5 s.
func BenchmarkLoad(b *testing.B) {
	const conditions = 10_000
	names := make([]string, conditions)
	sources := make([]string, conditions)
	for i := range conditions {
		names[i] = fmt.Sprintf("step-%d", i)
		sources[i] = fmt.Sprintf("loop_health.loop_verdict == 'CONTINUE' and steps.step-%d.exit_code != %d", i, i)
	}
	b.ReportAllocs()
	for b.Loop() {
		set := expression.NewSet(expression.Options{Names: names})
		for _, source := range sources {
			if _, err := set.Compile(source); err != nil {
				b.Fatal(err)
			}
		}
	}
}
