// Package mcp serves tools over the Model Context Protocol on a pair of streams:
// JSON-RPC 2.0, one message a line, without batches.
//
// It exists because the protocol's own SDK starts a JSON schema library, gob and
// OAuth whenever a program starts that holds it. The tests use its client.
package mcp

import (
	"context"
	"errors"
	"io"

	"github.com/sourcegraph/jsonrpc2"
)

// Server describes what is served. It may serve several clients at once.
type Server struct {
	Name, Version string
	// Instructions tell a client what the tools are for.
	Instructions string
	Tools        []Tool
	// Schemas are what toolschema.Generate made of Tools. They are read when a
	// client first asks for the tools or calls one.
	Schemas []byte
}

// Serve answers one client until in ends, writing fails or ctx ends; then it
// cancels the calls that are open and waits for them. The error is nil where in
// ended, and the cause of ctx where that ended. A read of in that is under way
// by then is left behind.
func (s *Server) Serve(ctx context.Context, in io.Reader, out io.Writer) error {
	open := newCalls(ctx)
	stream := newLines(in, out, open.settle)
	conn := jsonrpc2.NewConn(ctx, stream, newSession(s, open), jsonrpc2.SetLogger(silence{}))
	<-conn.DisconnectNotify()
	open.end()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err := stream.fault(); !errors.Is(err, io.EOF) {
		return err
	}
	return nil
}

// silence keeps the library from writing to standard error.
type silence struct{}

func (silence) Printf(string, ...any) {}
