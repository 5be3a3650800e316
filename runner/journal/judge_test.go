package journal

import (
	"strings"
	"testing"
	"time"
)

func TestJudgeTellsTheFourCasesApart(t *testing.T) {
	t.Parallel()
	const stall = 10 * time.Minute
	ago := func(minutes int) time.Time { return epoch.Add(-time.Duration(minutes) * time.Minute) }
	in := func(minutes int) *Wait { return &Wait{Due: epoch.Add(time.Duration(minutes) * time.Minute)} }
	step := func(path string, since int) Running {
		return Running{ActionStarted: ActionStarted{ID: path, Path: path}, Since: ago(since), Last: ago(since)}
	}
	printed := step("talks", 60)
	printed.Output = ago(1)
	waits := step("waits", 60)
	waits.Wait = in(5)
	waited := step("waited", 60)
	waited.Wait = in(-5)
	overdue := step("overdue", 60)
	overdue.Wait = in(-11)
	for _, test := range []struct {
		name    string
		s       Summary
		alive   bool
		stall   time.Duration
		want    Condition
		class   int
		stalled string
	}{
		{"a finished run is never stale", Summary{End: &RunFinished{Status: "success"}, Last: ago(9999)}, false, stall, Finished, 0, ""},
		{"a finished run whose owner still lives", Summary{End: &RunFinished{}, Last: ago(9999)}, true, stall, Finished, 0, ""},
		{"the owner died without an end", Summary{Last: ago(0), Running: []Running{step("a", 0)}}, false, stall, ExecutionFailure, 40, ""},
		{"a dead owner's wait does not count", Summary{Last: ago(0), Wait: in(5), Running: []Running{waits}}, false, stall, ExecutionFailure, 40, ""},
		{"a step that just started", Summary{Last: ago(1), Running: []Running{step("a", 1)}}, true, stall, Healthy, 0, ""},
		{"silent for exactly as long as allowed", Summary{Last: ago(10), Running: []Running{step("a", 10)}}, true, stall, Healthy, 0, ""},
		{"silent for longer", Summary{Last: ago(11), Running: []Running{step("a", 11)}}, true, stall, HeartbeatStale, 19, "a"},
		{"old and talking", Summary{Last: ago(60), Running: []Running{printed}}, true, stall, Healthy, 0, ""},
		{"waiting until later", Summary{Last: ago(60), Running: []Running{waits}}, true, stall, Healthy, 0, ""},
		{"its wait was due a moment ago", Summary{Last: ago(60), Running: []Running{waited}}, true, stall, Healthy, 0, ""},
		{"its wait was due long ago", Summary{Last: ago(60), Running: []Running{overdue}}, true, stall, HeartbeatStale, 19, "overdue"},
		{"one of two is silent", Summary{Last: ago(1), Running: []Running{printed, step("a", 11)}}, true, stall, HeartbeatStale, 19, "a"},
		{"one waits and one is silent", Summary{Last: ago(1), Running: []Running{waits, step("a", 11)}}, true, stall, HeartbeatStale, 19, "a"},
		{"the whole run waits", Summary{Last: ago(60), Wait: in(5), Running: []Running{step("a", 11)}}, true, stall, Healthy, 0, ""},
		{"nothing runs and nothing happens", Summary{Last: ago(11)}, true, stall, HeartbeatStale, 19, ""},
		{"between two steps", Summary{Last: ago(1)}, true, stall, Healthy, 0, ""},
		{"the run's wait is over", Summary{Last: ago(60), Wait: in(-11)}, true, stall, HeartbeatStale, 19, ""},
		{"no limit", Summary{Last: ago(60), Running: []Running{step("a", 60)}}, true, 0, Healthy, 0, ""},
		{"a clock behind the run's", Summary{Last: ago(-60), Running: []Running{step("a", -60)}}, true, stall, Healthy, 0, ""},
	} {
		h := Judge(test.s, test.alive, epoch, test.stall)
		var stalled []string
		for _, action := range h.Stalled {
			stalled = append(stalled, action.Path)
		}
		if h.Condition != test.want || h.Class != test.class || strings.Join(stalled, " ") != test.stalled || h.Reason == "" || h.Silent < 0 {
			t.Errorf("%s: %+v", test.name, h)
		}
	}
}

func TestJudgeSaysWhatWasSilentForHowLongAndWhatIsAwaited(t *testing.T) {
	t.Parallel()
	silent := Running{ActionStarted: ActionStarted{Path: "deploy/wait"}, Since: epoch.Add(-time.Hour)}
	h := Judge(Summary{Running: []Running{silent}}, true, epoch, time.Minute)
	if h.Silent != time.Hour || h.Reason != "no progress for 1h0m0s in step deploy/wait" {
		t.Errorf("%+v", h)
	}
	h = Judge(Summary{Running: []Running{silent, silent}}, false, epoch, time.Minute)
	if h.Reason != "the owner of the run died without an end in step deploy/wait and 1 more" {
		t.Errorf("%+v", h)
	}
	h = Judge(Summary{Last: epoch, Wait: &Wait{Due: epoch.Add(time.Hour)}}, true, epoch, time.Minute)
	if !h.Due.Equal(epoch.Add(time.Hour)) || !strings.Contains(h.Reason, "2026-01-02T04:04:05Z") {
		t.Errorf("%+v", h)
	}
}

// The silence that a loop allows its steps comes before the watchdog's own
// limit, whether it is longer or shorter.
func TestAnActionIsJudgedByTheSilenceThatItsLoopAllows(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		stale, silent time.Duration
		want          Condition
	}{
		{time.Minute, 30 * time.Second, Healthy},
		{time.Minute, 2 * time.Minute, HeartbeatStale},
		{time.Hour, 20 * time.Minute, Healthy},
		{0, 20 * time.Minute, HeartbeatStale},
	} {
		running := Running{ActionStarted: ActionStarted{ID: "a", Path: "a", Stale: c.stale}, Since: epoch.Add(-c.silent), Last: epoch.Add(-c.silent)}
		h := Judge(Summary{Running: []Running{running}, Last: epoch.Add(-c.silent)}, true, epoch, 10*time.Minute)
		if h.Condition != c.want {
			t.Errorf("%s of silence where %s are allowed: %s", c.silent, c.stale, h.Condition)
		}
	}
}
