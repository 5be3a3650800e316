package folder

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/brickoven/brickoven/bricks/session"
	"github.com/google/go-cmp/cmp"
)

func TestWhatAnIterationMayWriteAndWhatNot(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		change func(e *engine)
		want   map[string]session.Change
	}{
		"nothing":                 {func(*engine) {}, nil},
		"the control file":        {func(e *engine) { e.put("control.json", goalMet) }, nil},
		"its goal check":          {func(e *engine) { e.put("iterations/0002_work/goal_check.json", "half") }, nil},
		"another's goal check":    {func(e *engine) { e.put("iterations/0001_work/goal_check.json", "{}") }, map[string]session.Change{"iterations/0001_work/goal_check.json": session.Changed}},
		"its result":              {func(e *engine) { e.put("iterations/0002_work/result.json", "{}") }, map[string]session.Change{"iterations/0002_work/result.json": session.Added}},
		"the state":               {func(e *engine) { e.put("state.json", "{}") }, map[string]session.Change{"state.json": session.Changed}},
		"the events":              {func(e *engine) { e.put("events.jsonl", e.get("events.jsonl")+"{}\n") }, map[string]session.Change{"events.jsonl": session.Changed}},
		"the updates":             {func(e *engine) { e.put("updates.md", "stop testing") }, map[string]session.Change{"updates.md": session.Changed}},
		"the goal":                {func(e *engine) { os.Remove(filepath.Join(e.Dir(), "goal.md")) }, map[string]session.Change{"goal.md": session.Removed}},
		"a file of its own":       {func(e *engine) { e.put("notes/x", "") }, map[string]session.Change{"notes/x": session.Added}},
		"a forged request":        {func(e *engine) { e.put("requests/0002.json", e.get("requests/0001.json")) }, map[string]session.Change{"requests/0002.json": session.Added}},
		"a request that was seen": {func(e *engine) { os.Remove(filepath.Join(e.Dir(), "requests", "0001.json")) }, map[string]session.Change{"requests/0001.json": session.Removed}},
		"a request nobody saw yet": {func(e *engine) {
			e.ask(session.Request{Kind: session.RequestStop, Text: "s"})
			os.Remove(filepath.Join(e.Dir(), "requests", "0002.json"))
		}, map[string]session.Change{"requests/0002.json": session.Removed}},
		"a link in its place": {func(e *engine) {
			os.Remove(filepath.Join(e.Dir(), "goal.md"))
			os.Symlink("/etc/hosts", filepath.Join(e.Dir(), "goal.md"))
		}, map[string]session.Change{"goal.md": session.Changed}},
		"a stop and an update of a person": {func(e *engine) {
			e.ask(session.Request{Kind: session.RequestStop, Text: "s"})
			e.ask(session.Request{Kind: session.RequestUpdate, Text: "u"})
		}, nil},
		"everything": {func(e *engine) { os.RemoveAll(e.Dir()) }, map[string]session.Change{
			"events.jsonl": session.Removed, "goal.md": session.Removed, "session.json": session.Removed, "state.json": session.Removed, "updates.md": session.Removed,
			"requests/0001.json": session.Removed, "iterations/0001_work/goal_check.json": session.Removed, "iterations/0001_work/prompt.txt": session.Removed,
			"iterations/0001_work/result.json": session.Removed, "iterations/0002_work/prompt.txt": session.Removed}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := opened(t)
			first := e.begin()
			e.put("iterations/0001_work/goal_check.json", `{"goal_met":false,"reason":"r"}`)
			e.ask(session.Request{Kind: session.RequestUpdate, Text: "look at this"})
			e.finish(first, session.Continue, session.CheckNone)
			second := e.begin()
			tc.change(e)
			o := e.observe(second)
			var got map[string]session.Change
			for _, d := range o.Tampered {
				if got == nil {
					got = map[string]session.Change{}
				}
				got[d.Path] = d.Change
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(o, e.observe(second)); diff != "" {
				t.Errorf("observing again tells something else (-first +second):\n%s", diff)
			}
			d := e.finish(second, session.Continue, session.CheckNone)
			if stopped := d.Stop != nil && d.Stop.StopReason == session.HarnessTampered; stopped != (tc.want != nil) {
				t.Errorf("got %+v", d.Stop)
			}
			if s, err := e.State(); err != nil || s.IterationCount != 2 {
				t.Errorf("the state is %+v, %v", s, err)
			}
		})
	}
}

// TestACrashInTheMiddleOfAWriteLeavesNoHalfBoundary stops an engine after each
// number of steps of a batch and opens the session again.
func TestACrashInTheMiddleOfAWriteLeavesNoHalfBoundary(t *testing.T) {
	t.Parallel()
	for size := 0; ; size++ {
		e := opened(t)
		iteration := e.begin()
		e.put("iterations/0001_work/goal_check.json", `{"goal_met":false,"reason":"r"}`)
		o := e.observe(iteration)
		e.c.Finish(session.Iteration{Success: true, Observation: o, FinishedAt: moment})
		b, err := e.batch(Record{State: e.c.State(), Events: e.c.TakeEvents(), Iteration: iteration, Result: &session.Result{Success: true}})
		if err == nil {
			err = e.plan(&b)
		}
		if err != nil {
			t.Fatal(err)
		}
		data, err := json.Marshal(b)
		if err == nil {
			err = os.WriteFile(e.store.private(e.ID(), pendingFile), data, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
		names := []string{"iterations/0001_work/result.json", "state.json"}
		for _, name := range names[:min(size, len(names))] {
			e.put(name, string(b.Files[name]))
		}
		if torn := size - len(names); torn > 0 {
			e.put("events.jsonl", e.get("events.jsonl")+string(b.Events[:min(torn*40, len(b.Events))]))
		}
		e.reopen()
		if o := e.observe(""); len(o.Tampered) != 0 {
			t.Fatalf("after %d steps: %+v", size, o.Tampered)
		}
		if s, err := e.Session.State(); err != nil || s.IterationCount != 1 || e.get("iterations/0001_work/result.json") == "" {
			t.Fatalf("after %d steps: %+v, %v", size, s, err)
		}
		if events, torn, err := session.ParseEvents([]byte(e.get("events.jsonl"))); len(events) != 3 || torn || err != nil {
			t.Fatalf("after %d steps: %d events, torn %v, %v", size, len(events), torn, err)
		}
		if (size-len(names))*40 > len(b.Events) {
			return
		}
	}
}

func TestTheEngineWritesIntoItsOwnFolderOnly(t *testing.T) {
	t.Parallel()
	e := opened(t)
	iteration := e.begin()
	outside := t.TempDir()
	own := filepath.Join(e.Dir(), "iterations", iteration)
	events := filepath.Join(e.Dir(), "events.jsonl")
	if err := errors.Join(os.RemoveAll(own), os.Symlink(outside, own), os.Remove(events), os.Symlink(filepath.Join(outside, "events"), events)); err != nil {
		t.Skip("no symbolic links here")
	}
	if d := e.finish(iteration, session.Continue, session.CheckNone); d.Stop == nil || d.Stop.StopReason != session.HarnessTampered {
		t.Errorf("got %+v", d.Stop)
	}
	if entries, err := os.ReadDir(outside); len(entries) != 0 || err != nil {
		t.Errorf("it wrote %v outside, %v", entries, err)
	}
	e.reopen()
	if o := e.observe(""); len(o.Tampered) == 0 {
		t.Error("what was tampered with is forgotten")
	}
}

func TestAlteredEventsAreNeverTakenAsTheEngines(t *testing.T) {
	t.Parallel()
	e := opened(t)
	iteration := e.begin()
	e.put("events.jsonl", "")
	e.finish(iteration, session.Continue, session.CheckNone)
	e.reopen()
	if o := e.observe(""); len(o.Tampered) != 1 || o.Tampered[0].Path != "events.jsonl" {
		t.Errorf("got %+v", o.Tampered)
	}
}
