package main

import (
	"bytes"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	sessions "github.com/brickoven/brickoven/bricks/session"
	"github.com/brickoven/brickoven/bricks/session/folder"
)

// sessionBench runs the session commands in process against sessions that an
// engine of this process holds.
type sessionBench struct {
	t     *testing.T
	store folder.Store
	state string
}

func newSessionBench(t *testing.T) *sessionBench {
	t.Helper()
	state := t.TempDir()
	return &sessionBench{t: t, state: state, store: folder.Store{Dir: filepath.Join(state, "sessions")}}
}

var sessionMoment = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// held makes a session that runs.
func (b *sessionBench) held(goal string) *folder.Session {
	b.t.Helper()
	x, err := b.store.Create(b.t.Context(), folder.Opening{Goal: goal, At: sessionMoment, Random: bytes.NewReader(make([]byte, 64)), Holder: "run " + goal})
	if err != nil {
		b.t.Fatal(err)
	}
	c, err := sessions.Start(x.ID(), sessions.GoalHash(goal), sessions.Config{Workflows: sessions.Single("work", "fix")}, sessionMoment)
	if err != nil {
		b.t.Fatal(err)
	}
	if err := x.Write(b.t.Context(), folder.Record{State: c.State(), Events: c.TakeEvents()}); err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(func() { x.Close() })
	return x
}

func (b *sessionBench) run(args ...string) (string, error) {
	var out, errOut bytes.Buffer
	cmd := newSessionCommand(&app{out: &out, err: &errOut})
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	cmd.SetArgs(append(args, "--state-dir", b.state, "-C", b.t.TempDir()))
	err := cmd.ExecuteContext(b.t.Context())
	return out.String(), err
}

func TestSessionRequestsReachTheOneThatRuns(t *testing.T) {
	t.Parallel()
	b := newSessionBench(t)
	dead := b.held("dead")
	if err := dead.Close(); err != nil {
		t.Fatal(err)
	}
	live := b.held("live")
	for _, tc := range []struct {
		args []string
		want string
	}{
		{[]string{"update", "look", "here"}, "the next round is told"},
		{[]string{"retry-now"}, "the wait is cut short"},
		{[]string{"stop"}, "it stops when the round that runs has finished"},
		{[]string{"stop", "--now", "--reason", "r"}, "the round that runs is interrupted"},
	} {
		out, err := b.run(tc.args...)
		if err != nil || !strings.Contains(out, tc.want) || !strings.Contains(out, live.ID()) {
			t.Errorf("%q: %q, %v", tc.args, out, err)
		}
	}
	view, err := b.store.Look(live.ID())
	if err != nil || len(view.Requests) != 4 || !view.Requests[3].Now || view.Requests[0].Text != "look here" {
		t.Errorf("got %+v, %v", view.Requests, err)
	}
	if out, err := b.run("show", live.ID()); err != nil || !strings.Contains(out, "held by   run live") || !strings.Contains(out, "standing  running") {
		t.Errorf("got %q, %v", out, err)
	}
}

func TestSeveralSessionsThatRunMustBeNamed(t *testing.T) {
	t.Parallel()
	b := newSessionBench(t)
	one, two := b.held("one"), b.held("two")
	_, err := b.run("stop")
	var failed *failure
	if !errors.As(err, &failed) || failed.Code != 4 || !strings.Contains(err.Error(), one.ID()) || !strings.Contains(err.Error(), two.ID()) {
		t.Errorf("got %v", err)
	}
	if out, err := b.run("stop", one.ID()); err != nil || !strings.Contains(out, one.ID()) {
		t.Errorf("got %q, %v", out, err)
	}
}
