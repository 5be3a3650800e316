package folder

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/brickoven/brickoven/bricks/session"
	"github.com/brickoven/brickoven/recipes/value"
	"github.com/google/go-cmp/cmp"
)

var moment = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// engine is a session with its coordinator, driven as doc.go says.
type engine struct {
	t *testing.T
	*Session
	store Store
	c     *session.Coordinator
}

func opened(t *testing.T) *engine {
	t.Helper()
	store := Store{Dir: filepath.Join(t.TempDir(), "state", "sessions")}
	x, err := store.Create(t.Context(), Opening{
		Meta: session.Meta{RunID: "r1", Recipe: "fix", Step: "converge", WorkDir: "/w"}, Goal: "make it green\n", At: moment,
		Random: bytes.NewReader(bytes.Repeat([]byte{7}, 64)), Holder: "run r1",
	})
	if err != nil {
		t.Fatal(err)
	}
	e := &engine{t: t, Session: x, store: store}
	t.Cleanup(func() { e.Close() })
	e.c, err = session.Start(x.ID(), session.GoalHash("make it green\n"), session.Config{Workflows: session.Single("work", "fix")}, moment)
	if err != nil {
		t.Fatal(err)
	}
	e.write(Record{})
	return e
}

func (e *engine) write(r Record) {
	e.t.Helper()
	r.State, r.Events = e.c.State(), e.c.TakeEvents()
	if err := e.Write(e.t.Context(), r); err != nil {
		e.t.Fatal(err)
	}
}

func (e *engine) begin() (iteration string) {
	e.t.Helper()
	number := e.c.Begin("work", "a1", moment)
	iteration, prompt := session.IterationName(number, "work"), "do it"
	e.write(Record{Iteration: iteration, Prompt: &prompt})
	return iteration
}

func (e *engine) observe(iteration string) session.Observation {
	e.t.Helper()
	o, err := e.Observe(e.t.Context(), iteration, e.c.State().Requests)
	if err != nil {
		e.t.Fatal(err)
	}
	return o
}

// finish ends an iteration the way that a runner does.
func (e *engine) finish(iteration string, v session.Verdict, check session.CheckOutcome) session.Decision {
	e.t.Helper()
	o := e.observe(iteration)
	r := Record{Iteration: iteration, Result: &session.Result{Success: true, Text: "did it"}, Invalid: o.Control.Invalid}
	if control, reading, write := session.Judged(o.Control, v, "the judge's reason"); write {
		r.Control, o.Control = &control, reading
	}
	d := e.c.Finish(session.Iteration{Success: true, Observation: o, Check: check, FinishedAt: moment})
	r.Rejected = d.Rejected
	e.write(r)
	return d
}

func (e *engine) put(name, text string) {
	e.t.Helper()
	path := filepath.Join(e.Dir(), filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		e.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		e.t.Fatal(err)
	}
}

func (e *engine) get(name string) string {
	e.t.Helper()
	text, err := os.ReadFile(filepath.Join(e.Dir(), filepath.FromSlash(name)))
	if err != nil {
		e.t.Fatal(err)
	}
	return string(text)
}

func (e *engine) ask(r session.Request) int {
	e.t.Helper()
	r.At = moment
	n, err := e.store.Ask(e.t.Context(), e.ID(), r)
	if err != nil {
		e.t.Fatal(err)
	}
	return n
}

// reopen is what another process does after this one died.
func (e *engine) reopen() {
	e.t.Helper()
	if err := e.Close(); err != nil {
		e.t.Fatal(err)
	}
	x, err := e.store.Open(e.t.Context(), e.ID(), "run r2")
	if err != nil {
		e.t.Fatal(err)
	}
	e.Session = x
	s, err := x.State()
	if err != nil {
		e.t.Fatal(err)
	}
	e.c = session.Restore(s)
}

const goalMet = `{"state":"stopped","reason":"r","stop_reason":"goal_met","schema_version":1}`

func (e *engine) wantFiles(want ...string) {
	e.t.Helper()
	now, err := scan(e.Dir())
	if err != nil {
		e.t.Fatal(err)
	}
	var got []string
	for name := range now {
		got = append(got, name)
	}
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		e.t.Errorf("the files (-want +got):\n%s", diff)
	}
}

func TestARoundFromOpenToClose(t *testing.T) {
	t.Parallel()
	e := opened(t)
	iteration := e.begin()
	if env := e.Environment(iteration); env["BRICKOVEN_SESSION_DIR"] != e.Dir() || env["BRICKOVEN_CONTROL_FILE"] != filepath.Join(e.Dir(), "control.json") ||
		env["BRICKOVEN_ITERATION_DIR"] != filepath.Join(e.Dir(), "iterations", "0001_work") {
		t.Errorf("got %v", env)
	}
	e.put("iterations/0001_work/goal_check.json", `{"goal_met":true,"reason":"r"}`)
	if d := e.finish(iteration, session.Continue, session.CheckNone); !d.Continues() {
		t.Fatalf("got %+v", d.Stop)
	}
	d := e.finish(e.begin(), session.Done, session.CheckGreen)
	if d.Continues() || d.Stop.HaltReason != session.HaltSuccess {
		t.Errorf("got %+v", d.Stop)
	}
	e.wantFiles("control.json", "events.jsonl", "goal.md", "iterations/0001_work/goal_check.json", "iterations/0001_work/prompt.txt", "iterations/0001_work/result.json",
		"iterations/0002_work/prompt.txt", "iterations/0002_work/result.json", "session.json", "state.json", "updates.md")
	if c, err := session.ParseControl([]byte(e.get("control.json"))); err != nil || c.StopReason != session.GoalMet || c.Reason != "the judge's reason" {
		t.Errorf("the judge's DONE is written as %+v, %v", c, err)
	}
	events, torn, err := session.ParseEvents([]byte(e.get("events.jsonl")))
	if len(events) != 6 || torn || err != nil {
		t.Errorf("got %d events, %v, %v", len(events), torn, err)
	}
	if r, err := session.ParseResult([]byte(e.get("iterations/0001_work/result.json"))); err != nil || !r.Success || r.Text != "did it" {
		t.Errorf("got %+v, %v", r, err)
	}
	view, err := e.store.Look(e.ID())
	if err != nil || !view.Held || view.Holder != "run r1" || view.State.Stop.StopReason != session.GoalMet || view.Goal != "make it green\n" || view.Meta.GoalHash != session.GoalHash(view.Goal) {
		t.Errorf("got %+v, %v", view, err)
	}
	e.reopen()
	if d := e.c.Resume(e.observe(""), session.CheckNone, moment); d.Stop == nil || d.Stop.HaltReason != session.HaltSuccess {
		t.Errorf("resumed: %+v", d)
	}
}

func TestAnIterationHasItsFolderAlsoWithoutAPrompt(t *testing.T) {
	t.Parallel()
	e := opened(t)
	iteration := session.IterationName(e.c.Begin("work", "a1", moment), "work")
	e.write(Record{Iteration: iteration})
	if info, err := os.Stat(e.Environment(iteration)["BRICKOVEN_ITERATION_DIR"]); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("got %v, %v", info, err)
	}
}

func TestAnObservationTravelsAsAValue(t *testing.T) {
	t.Parallel()
	e := opened(t)
	iteration := e.begin()
	e.ask(session.Request{Kind: session.RequestStop, Now: true, Text: "enough"})
	e.put("iterations/0001_work/goal_check.json", `{"goal_met":true,"reason":"r"}`)
	e.put("goal.md", "another")
	o := e.observe(iteration)
	back, err := session.ObservationFrom(value.From(o))
	if diff := cmp.Diff(o, back); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	if _, err := session.ObservationFrom("text"); err == nil {
		t.Error("a text is an observation")
	}
}

func TestEverythingIsPrivate(t *testing.T) {
	t.Parallel()
	e := opened(t)
	e.begin()
	e.ask(session.Request{Kind: session.RequestUpdate, Text: "x"})
	err := filepath.WalkDir(e.store.Dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		if info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has the mode %v", path, info.Mode())
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

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

func TestARejectedGoalIsKeptAndTheLoopGoesOn(t *testing.T) {
	t.Parallel()
	e := opened(t)
	first := e.begin()
	e.put("control.json", goalMet)
	if d := e.finish(first, session.Continue, session.CheckRed); !d.Continues() || !d.Rejected {
		t.Fatalf("got %+v", d)
	}
	if e.get("control.rejected.json") != goalMet || !e.observe("").Control.Running() {
		t.Errorf("rejected %s, control %s", e.get("control.rejected.json"), e.get("control.json"))
	}
	d := e.finish(e.begin(), session.Done, session.CheckRed)
	if d.Stop == nil || d.Stop.StopReason != session.DoneButCheckRed || !strings.Contains(e.get("control.rejected.json"), "the judge's reason") {
		t.Errorf("got %+v, rejected %s", d.Stop, e.get("control.rejected.json"))
	}
}

func TestAnInvalidControlFileIsKeptBesideAndLeftAsFound(t *testing.T) {
	t.Parallel()
	for _, bad := range []string{goalMet[:20], `{"state":"stopped"}`, ""} {
		e := opened(t)
		iteration := e.begin()
		e.put("control.json", bad)
		d := e.finish(iteration, session.Done, session.CheckGreen)
		if d.Stop == nil || d.Stop.StopReason != session.InvalidControlOutput || e.get("control.json") != bad || e.get("control.invalid.json") != bad {
			t.Errorf("%q: %+v", bad, d.Stop)
		}
	}
	for name, replace := range map[string]func(path string) error{
		"missing": func(string) error { return nil }, "a folder": func(path string) error { return os.Mkdir(path, 0o700) },
		"a link":     func(path string) error { return os.Symlink("goal.md", path) },
		"very large": func(path string) error { return os.WriteFile(path, make([]byte, maxRead+1), 0o600) },
	} {
		e := opened(t)
		iteration := e.begin()
		path := filepath.Join(e.Dir(), "control.json")
		if err := errors.Join(os.Remove(path), replace(path)); err != nil {
			t.Fatal(err)
		}
		if d := e.finish(iteration, session.Continue, session.CheckNone); d.Stop == nil || d.Stop.StopReason != session.InvalidControlOutput {
			t.Errorf("%s: %+v", name, d.Stop)
		}
	}
}

func TestAPersonsStopAndUpdate(t *testing.T) {
	t.Parallel()
	e := opened(t)
	iteration := e.begin()
	e.ask(session.Request{Kind: session.RequestUpdate, Text: "look at the login page"})
	e.ask(session.Request{Kind: session.RequestStop, Now: true, Text: "enough"})
	if o := e.observe(iteration); o.Control.StopReason != session.StopRequested || o.Control.Author != session.ByPerson || len(o.Requests) != 2 || o.StopRequest().Number != 2 {
		t.Errorf("got %+v", o)
	}
	d := e.finish(iteration, session.Continue, session.CheckNone)
	if d.Stop == nil || d.Stop.StopReason != session.StopRequested || d.Stop.Reason != "enough" || d.Stop.Author != session.ByPerson {
		t.Errorf("got %+v", d.Stop)
	}
	if want := "# Updates\n\n## 2026-01-02T03:04:05Z\n\nlook at the login page\n"; e.get("updates.md") != want {
		t.Errorf("updates.md is %q", e.get("updates.md"))
	}
	if _, err := e.store.Ask(t.Context(), e.ID(), session.Request{Kind: session.RequestStop, At: moment}); !errors.Is(err, ErrOver) {
		t.Errorf("a stop of what has stopped: %v", err)
	}
	e.reopen()
	if o := e.observe(""); len(o.Requests) != 0 || len(o.Tampered) != 0 || o.Control.StopReason != session.StopRequested {
		t.Errorf("after the stop: %+v", o)
	}
}

func TestAWorkflowThatWritesAPersonsStopIsInvalid(t *testing.T) {
	t.Parallel()
	e := opened(t)
	iteration := e.begin()
	e.put("control.json", `{"state":"stopped","reason":"r","stop_reason":"stop_requested","schema_version":1}`)
	if d := e.finish(iteration, session.Continue, session.CheckNone); d.Stop == nil || d.Stop.StopReason != session.InvalidControlOutput {
		t.Errorf("got %+v", d.Stop)
	}
}

func TestAStopDoesNotOverwriteWhatAWorkflowWrote(t *testing.T) {
	t.Parallel()
	for _, text := range []string{goalMet, "half"} {
		e := opened(t)
		e.begin()
		e.put("control.json", text)
		e.ask(session.Request{Kind: session.RequestStop, Text: "s"})
		if e.get("control.json") != text {
			t.Errorf("%q became %q", text, e.get("control.json"))
		}
	}
}

func TestTheJudgeDoesNotOverwriteAStopThatCameMeanwhile(t *testing.T) {
	t.Parallel()
	e := opened(t)
	iteration := e.begin()
	o := e.observe(iteration)
	control, reading, _ := session.Judged(o.Control, session.Stuck, "no progress")
	e.ask(session.Request{Kind: session.RequestStop, Text: "enough"})
	o.Control = reading
	e.c.Finish(session.Iteration{Success: true, Observation: o, FinishedAt: moment})
	e.write(Record{Iteration: iteration, Control: &control})
	if !strings.Contains(e.get("control.json"), "enough") {
		t.Errorf("control.json is %s", e.get("control.json"))
	}
}

func TestOnlyOneEngineHoldsASession(t *testing.T) {
	t.Parallel()
	e := opened(t)
	_, err := e.store.Open(t.Context(), e.ID(), "run r2")
	var held *Held
	if !errors.As(err, &held) || held.Holder != "run r1" || err.Error() != "session "+e.ID()+" is held by run r1" {
		t.Errorf("got %v", err)
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	if view, err := e.store.Look(e.ID()); err != nil || view.Held {
		t.Errorf("got %+v, %v", view, err)
	}
	x, err := e.store.Open(t.Context(), e.ID(), "run r2")
	if err != nil {
		t.Fatal(err)
	}
	e.Session = x
	if view, err := e.store.Look(e.ID()); err != nil || view.Holder != "run r2" {
		t.Errorf("got %+v, %v", view, err)
	}
}

func TestWhatIsNotASessionIsNotOpened(t *testing.T) {
	t.Parallel()
	store := Store{Dir: filepath.Join(t.TempDir(), "none")}
	id := session.NewID(moment, "g", [4]byte{})
	if ids, err := store.IDs(); len(ids) != 0 || err != nil {
		t.Errorf("got %v, %v", ids, err)
	}
	_, openErr := store.Open(t.Context(), id, "")
	_, lookErr := store.Look(id)
	_, askErr := store.Ask(t.Context(), id, session.Request{})
	for _, err := range []error{openErr, lookErr, askErr} {
		if !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("got %v", err)
		}
	}
	for _, bad := range []string{"../x", ""} {
		_, openErr := store.Open(t.Context(), bad, "")
		_, lookErr := store.Look(bad)
		_, askErr := store.Ask(t.Context(), bad, session.Request{})
		if openErr == nil || lookErr == nil || askErr == nil {
			t.Errorf("%q is a session", bad)
		}
	}
	e := opened(t)
	e.put("../20260102_030405_odd/x", "")
	if ids, err := e.store.IDs(); err != nil || len(ids) != 1 || ids[0] != e.ID() {
		t.Errorf("got %v, %v", ids, err)
	}
}

func TestABrokenFileIsReportedByItsPath(t *testing.T) {
	t.Parallel()
	e := opened(t)
	e.put("state.json", `{"status":1}`)
	_, err := e.store.Look(e.ID())
	var invalid *session.Invalid
	if !errors.As(err, &invalid) || invalid.Document != "state.json" || !strings.Contains(err.Error(), "status: is a number, not a string") {
		t.Errorf("got %v", err)
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

func TestAwaitSeesARequestThatComesLater(t *testing.T) {
	t.Parallel()
	e := opened(t)
	e.ask(session.Request{Kind: session.RequestUpdate, Text: "u"})
	found := make(chan session.Request, 1)
	go func() {
		r, err := e.Await(context.Background(), time.Millisecond, 0, func(r session.Request) bool { return r.Kind == session.RequestStop && r.Now })
		if err != nil {
			t.Error(err)
		}
		found <- r
	}()
	e.ask(session.Request{Kind: session.RequestStop, Text: "later"})
	e.ask(session.Request{Kind: session.RequestStop, Now: true, Text: "at once"})
	if r := <-found; r.Number != 3 || r.Text != "at once" {
		t.Errorf("got %+v", r)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := e.Await(ended, time.Millisecond, 3, func(session.Request) bool { return true }); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
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

func TestAForgedRequestIsNotOverwrittenByATrueOne(t *testing.T) {
	t.Parallel()
	e := opened(t)
	iteration := e.begin()
	e.put("requests/0001.json", "forged")
	if n := e.ask(session.Request{Kind: session.RequestUpdate, Text: "true"}); n != 2 {
		t.Errorf("got number %d", n)
	}
	o := e.observe(iteration)
	if len(o.Tampered) == 0 || o.Tampered[0].Path != "requests/0001.json" || len(o.Requests) != 1 || e.get("requests/0001.json") != "forged" {
		t.Errorf("got %+v", o)
	}
}

func TestAnUpdateIsInTheFileOnceTheStateKnowsIt(t *testing.T) {
	t.Parallel()
	e := opened(t)
	iteration := e.begin()
	e.ask(session.Request{Kind: session.RequestUpdate, Text: "look here"})
	e.observe(iteration)
	e.write(Record{Iteration: iteration})
	if strings.Contains(e.get("updates.md"), "look here") {
		t.Error("the file is ahead of the state")
	}
	e.finish(iteration, session.Continue, session.CheckNone)
	if !strings.Contains(e.get("updates.md"), "look here") {
		t.Errorf("updates.md is %q", e.get("updates.md"))
	}
}

func TestAStopThatTheCommandLineDidNotWriteIsInvalidEvenBesideOneThatItDid(t *testing.T) {
	t.Parallel()
	e := opened(t)
	iteration := e.begin()
	e.ask(session.Request{Kind: session.RequestStop, Text: "enough"})
	e.put("control.json", `{"state":"stopped","reason":"another","stop_reason":"stop_requested","schema_version":1}`)
	if o := e.observe(iteration); !o.Control.Invalid {
		t.Errorf("got %+v", o.Control)
	}
}
