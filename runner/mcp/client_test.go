package mcp_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/brickoven/brickoven/runner/mcp"
	"github.com/brickoven/brickoven/runner/mcp/toolschema"
)

type echoInput struct {
	Text  string         `json:"text" jsonschema_description:"what to say, exactly"`
	Times *int           `json:"times,omitempty"`
	More  map[string]any `json:"more,omitempty"`
}

type echoOutput struct {
	Said string         `json:"said"`
	More map[string]any `json:"more,omitempty"`
}

func echo(_ context.Context, in echoInput) (echoOutput, error) {
	times := 1
	if in.Times != nil {
		times = min(max(*in.Times, 0), 3)
	}
	return echoOutput{Said: strings.Repeat(in.Text, times), More: in.More}, nil
}

type nothing struct{}

// newServer serves echo, fail and crash, and more.
func newServer(tb testing.TB, more ...mcp.Tool) *mcp.Server {
	tb.Helper()
	tools := append([]mcp.Tool{
		mcp.NewTool("fail", "Fails.", false, func(context.Context, nothing) (nothing, error) {
			return nothing{}, errors.New("the oven is cold")
		}),
		mcp.NewTool("echo", "Says it again.", true, echo),
		mcp.NewTool("crash", "Panics.", false, func(context.Context, nothing) (nothing, error) { panic("no flour") }),
	}, more...)
	schemas, err := toolschema.Generate(tools)
	if err != nil {
		tb.Fatal(err)
	}
	return &mcp.Server{Name: "oven", Version: "1.2", Instructions: "Bake.", Tools: tools, Schemas: schemas}
}

// client talks to a server, line by line.
type client struct {
	t    *testing.T
	in   *io.PipeWriter
	out  *bufio.Reader
	done chan error
}

func dial(ctx context.Context, t *testing.T, s *mcp.Server) *client {
	t.Helper()
	serverIn, in := io.Pipe()
	out, serverOut := io.Pipe()
	c := &client{t, in, bufio.NewReader(out), make(chan error, 1)}
	go func() {
		err := s.Serve(ctx, serverIn, serverOut)
		_ = serverOut.Close()
		c.done <- err
	}()
	t.Cleanup(func() { _ = in.Close() })
	return c
}

const (
	hello  = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{}}}`
	ready  = `{"jsonrpc":"2.0","method":"notifications/initialized"}`
	isOpen = `{"jsonrpc":"2.0","id":"open?","method":"ping"}`
)

// greeted is a client that has been answered.
func greeted(ctx context.Context, t *testing.T, s *mcp.Server) *client {
	t.Helper()
	c := dial(ctx, t, s)
	c.send(hello)
	c.next()
	c.send(ready)
	return c
}

func (c *client) send(line string) {
	c.t.Helper()
	if _, err := io.WriteString(c.in, line+"\n"); err != nil {
		c.t.Fatal(err)
	}
}

func (c *client) next() string {
	c.t.Helper()
	line, err := c.out.ReadString('\n')
	if err != nil {
		c.t.Fatal(err)
	}
	return line
}

// want reads the next answer.
func (c *client) want(answer string) {
	c.t.Helper()
	if diff := cmp.Diff(parse(c.t, answer), parse(c.t, c.next())); diff != "" {
		c.t.Errorf("the answer (+) is not the one wanted (-)\n%s", diff)
	}
}

// end closes the client's end, and gives what was still written and what Serve
// returned.
func (c *client) end() (rest string, err error) {
	c.t.Helper()
	_ = c.in.Close()
	data, err := io.ReadAll(c.out)
	if err != nil {
		c.t.Fatal(err)
	}
	return string(data), <-c.done
}

func parse(tb testing.TB, text string) any {
	tb.Helper()
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		tb.Fatalf("%v: %s", err, text)
	}
	return v
}
