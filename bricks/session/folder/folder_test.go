package folder

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
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

func TestSessionsOfOneSecondAreInTheOrderTheyWereMade(t *testing.T) {
	t.Parallel()
	store := Store{Dir: t.TempDir()}
	begun := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	var want []string
	for i := range 20 {
		x, err := store.Create(t.Context(), Opening{
			Meta: session.Meta{RunID: "r"}, Goal: fmt.Sprint(i), At: begun.Add(time.Duration(i) * time.Millisecond), Random: rand.Reader, Holder: "h",
		})
		if err != nil {
			t.Fatal(err)
		}
		if err := x.Close(); err != nil {
			t.Fatal(err)
		}
		want = append(want, x.ID())
	}
	got, err := store.IDs()
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, %v, want %v", got, err, want)
	}
}

func TestARejectionThatIsWrittenAgainKeepsTheClaim(t *testing.T) {
	t.Parallel()
	e := opened(t)
	it := e.begin()
	const claim = `{"state":"stopped","reason":"all pass","stop_reason":"goal_met","schema_version":1}`
	e.put(session.ControlFile, claim)
	e.observe(it)
	record := Record{State: e.c.State(), Iteration: it, Rejected: true}
	e.write(record)
	e.reopen()
	e.write(record)
	if got := e.get(session.RejectedFile); got != claim {
		t.Errorf("control.rejected.json is %s", got)
	}
}

func TestASessionThatWasNeverCompleteIsSweptAway(t *testing.T) {
	t.Parallel()
	e := opened(t)
	dead := session.NewID(moment, "never", [4]byte{9})
	for _, dir := range []string{filepath.Join(e.store.Dir, openingPrefix+dead), e.store.private(dead, "")} {
		if err := os.MkdirAll(dir, folderMode); err != nil {
			t.Fatal(err)
		}
	}
	if ids, err := e.store.IDs(); err != nil || len(ids) != 1 {
		t.Errorf("%v, %v: a session that is not complete is listed", ids, err)
	}
	x, err := e.store.Create(t.Context(), Opening{Goal: "g", At: moment, Random: rand.Reader, Holder: "h"})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	for _, gone := range []string{filepath.Join(e.store.Dir, openingPrefix+dead), e.store.private(dead, "")} {
		if _, err := os.Stat(gone); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s is still there (%v)", gone, err)
		}
	}
}
