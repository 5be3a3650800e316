package mcp_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/brickoven/brickoven/runner/mcp"
)

func TestWhenTheClientGoesItsCallsAreInterrupted(t *testing.T) {
	t.Parallel()
	o, tool := newOven("bread", "cake")
	c := greeted(t.Context(), t, newServer(t, tool))
	c.send(bake("1", "bread"))
	c.send(bake("2", "cake"))
	<-o.begun
	<-o.begun
	rest, err := c.end()
	if rest != "" || err != nil {
		t.Errorf("%q, %v", rest, err)
	}
	// Serve has waited for them, so that the causes are here already.
	for range 2 {
		select {
		case cause := <-o.ended:
			if cause != mcp.ErrGone {
				t.Errorf("the cause is %v", cause)
			}
		default:
			t.Error("Serve has returned before a call did")
		}
	}
}

// A script that pipes requests in and closes its end still reads the answers.
func TestWhatCameToItsEndIsAnsweredAlthoughTheInputHasEnded(t *testing.T) {
	t.Parallel()
	for call, want := range map[string]string{
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"text":"a"}}}`: `"said":"a"`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"text":1}}}`:   `text: got`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"fail"}}`:                          `the oven is cold`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"crash"}}`:                         `no flour`,
	} {
		for _, end := range []string{"", "\n", "\r\n"} {
			var out strings.Builder
			if err := newServer(t).Serve(t.Context(), strings.NewReader(hello+"\n"+call+end), &out); err != nil {
				t.Error(err)
			}
			if answers := strings.Split(out.String(), "\n"); len(answers) != 3 || !strings.Contains(answers[1], want) {
				t.Errorf("%q: %q", call+end, answers)
			}
		}
	}
}

func TestHalfALineAtTheEndIsNotAnswered(t *testing.T) {
	t.Parallel()
	for _, half := range []string{`{"jsonrpc":"2.0","id":1,"meth`, `{`, `[]`, ` `} {
		var out strings.Builder
		if err := newServer(t).Serve(t.Context(), strings.NewReader(half), &out); err != nil || out.Len() > 0 {
			t.Errorf("%q: %v, %q", half, err, out.String())
		}
	}
}

func TestWhatGoesWrongWithTheStreamsIsTold(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	in := io.MultiReader(strings.NewReader(hello+"\n"), iotest.ErrReader(broken))
	if err := newServer(t).Serve(t.Context(), in, io.Discard); !errors.Is(err, broken) {
		t.Errorf("reading: %v", err)
	}
	for _, line := range []string{hello, "nope"} {
		in, feed := io.Pipe() // stays open
		go func() { _, _ = io.WriteString(feed, line+"\n") }()
		if err := newServer(t).Serve(t.Context(), in, brokenWriter{broken}); !errors.Is(err, broken) {
			t.Errorf("writing after %s: %v", line, err)
		}
	}
}

type brokenWriter struct{ err error }

func (w brokenWriter) Write([]byte) (int, error) { return 0, w.err }

func TestTheContextEndsAServerWhoseClientStays(t *testing.T) {
	t.Parallel()
	o, tool := newOven("bread")
	stopped := errors.New("stopped")
	ctx, stop := context.WithCancelCause(t.Context())
	c := greeted(ctx, t, newServer(t, tool))
	o.begin(c, "1", "bread")
	stop(stopped)
	if err := <-c.done; !errors.Is(err, stopped) {
		t.Error(err)
	}
	if cause := <-o.ended; !errors.Is(cause, stopped) {
		t.Errorf("the cause is %v", cause)
	}
	// The read that is left behind gets a call, which does not begin any more.
	c.send(bake("2", "bread"))
	c.send(isOpen)
	select {
	case name := <-o.begun:
		t.Errorf("%s began after the end", name)
	default:
	}
}

func TestTheContextEndsAServerWhoseClientDoesNotRead(t *testing.T) {
	t.Parallel()
	o, tool := newOven("bread")
	ctx, stop := context.WithCancel(t.Context())
	writing := make(chan struct{})
	in, feed := io.Pipe()
	done := make(chan error, 1)
	server := newServer(t, tool)
	go func() { done <- server.Serve(ctx, in, &stuckWriter{writing: writing, ctx: t.Context()}) }()
	go func() { _, _ = io.WriteString(feed, hello+"\n"+bake("1", "bread")+"\n") }()
	<-o.begun
	close(o.done["bread"])
	<-writing
	stop()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// stuckWriter takes one line.
type stuckWriter struct {
	writing chan struct{}
	ctx     context.Context
	lines   int
}

func (w *stuckWriter) Write(p []byte) (int, error) {
	if w.lines++; w.lines == 1 {
		return len(p), nil
	}
	close(w.writing)
	<-w.ctx.Done()
	return 0, w.ctx.Err()
}

func TestSchemasThatAreMissingAreTheServersFault(t *testing.T) {
	t.Parallel()
	for _, schemas := range []string{"", "nope", `{}`, `{"echo":{}}`, `{"echo":{"input":{"type":"none"}}}`} {
		s := newServer(t)
		s.Schemas = []byte(schemas)
		for _, method := range []string{`"tools/list"`, `"tools/call","params":{"name":"echo","arguments":{"text":"a"}}`} {
			c := greeted(t.Context(), t, s)
			c.send(`{"jsonrpc":"2.0","id":1,"method":` + method + `}`)
			if answer := c.next(); !strings.Contains(answer, `"code":-32603`) {
				t.Errorf("%q, %s: %s", schemas, method, answer)
			}
		}
	}
}
