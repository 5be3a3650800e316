package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"slices"

	"github.com/sourcegraph/jsonrpc2"
)

type callParams struct {
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
}

// outcome is what a call came to: a result, or a tool's error as a text that the
// agent reads.
type outcome struct {
	Content []text          `json:"content"`
	Result  json.RawMessage `json:"structuredContent,omitempty"`
	IsError bool            `json:"isError,omitempty"`
}

type text struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

// call lets a call begin. The error is about the request.
func (s *session) call(conn *jsonrpc2.Conn, req *jsonrpc2.Request) *jsonrpc2.Error {
	var wanted callParams
	if err := readParams(req.Params, &wanted); err != nil {
		return failed(jsonrpc2.CodeInvalidParams, "tools/call: %v", err)
	}
	i := slices.IndexFunc(s.server.Tools, func(t Tool) bool { return t.Name == wanted.Name })
	if i < 0 {
		return failed(jsonrpc2.CodeInvalidParams, "unknown tool %q", wanted.Name)
	}
	tool := s.server.Tools[i]
	schemas, err := s.schemas()
	if err != nil {
		return failed(jsonrpc2.CodeInternalError, "%v", err)
	}
	ctx, fault := s.open.begin(req.ID)
	if fault != nil {
		return fault
	}
	go func() {
		defer s.open.answered.Done()
		result, err := tool.run(ctx, schemas[tool.Name], wanted.Arguments)
		s.open.finish(req.ID)
		if !unwanted(ctx, err) {
			conclude(conn, req.ID, result, err)
		}
	}()
	return nil
}

// unwanted tells whether nobody waits for the end of a call: the client took it
// back, or has gone, which interrupted it. What came to its own end is answered,
// because who has ended its side may still read.
func unwanted(ctx context.Context, err error) bool {
	return errors.Is(context.Cause(ctx), ErrCancelled) || errors.Is(err, ErrGone)
}

// conclude answers a call.
func conclude(conn *jsonrpc2.Conn, id jsonrpc2.ID, result json.RawMessage, err error) {
	var crash *PanicError
	switch {
	case errors.As(err, &crash):
		answer(conn, id, nil, failed(jsonrpc2.CodeInternalError, "%v", crash))
	case err != nil:
		answer(conn, id, outcome{Content: []text{{"text", err.Error()}}, IsError: true}, nil)
	default:
		answer(conn, id, outcome{Content: []text{{"text", string(result)}}, Result: result}, nil)
	}
}
