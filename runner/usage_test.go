package runner

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/brickoven/brickoven/runner/step"
)

// What an owner of the run saw of a call stays used when it dies, whatever the
// next one makes of the call.
func TestUsageOfEveryAttemptCounts(t *testing.T) {
	t.Parallel()
	recipe := tree(t, "name: root\nsteps:\n  - {id: ask, prompt: say it}\n")
	rapid.Check(t, func(t *rapid.T) {
		run := New(recipe, Options{})
		now := time.Unix(0, 0)
		batch := run.Start(now)
		if len(batch.Actions) != 1 || batch.Actions[0].Kind != step.Agent {
			t.Fatalf("the run wants %v", batch.Actions)
		}
		id, want := batch.Actions[0].ID, int64(0)
		feed := func(ev step.Event) {
			now = now.Add(time.Second)
			ev.ID, ev.At = id, now
			if _, err := run.Feed(ev); err != nil {
				t.Fatal(err)
			}
		}
		last := rapid.IntRange(1, 4).Draw(t, "attempts")
		for attempt := 1; attempt <= last; attempt++ {
			told := int64(0)
			for range rapid.IntRange(0, 3).Draw(t, "reports") {
				told += rapid.Int64Range(0, 100).Draw(t, "tokens")
				tokens := told
				feed(step.Event{Kind: step.Used, Attempt: attempt, Usage: &step.Usage{InputTokens: &tokens}})
			}
			if attempt < last {
				want += told
				continue
			}
			end := told + rapid.Int64Range(1, 100).Draw(t, "rest")
			want += end
			feed(step.Event{Kind: step.Done, Attempt: attempt, Result: &step.Result{OK: true, Text: "x", Value: "x", Usage: &step.Usage{InputTokens: &end, Calls: 1}}})
		}
		o := run.Outcome()
		if o == nil || o.Usage == nil || o.Usage.InputTokens == nil || *o.Usage.InputTokens != want {
			t.Fatalf("used %+v, want %d tokens", o, want)
		}
	})
}
