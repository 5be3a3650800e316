package folder

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/brickoven/brickoven/bricks/session"
)

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
