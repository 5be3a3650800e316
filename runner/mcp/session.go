package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"github.com/sourcegraph/jsonrpc2"
)

// session answers one client. Handle is called for one message after the other.
type session struct {
	server  *Server
	open    *calls
	schemas func() (map[string]schema, error)
	greeted bool
}

func newSession(s *Server, open *calls) *session {
	return &session{server: s, open: open, schemas: sync.OnceValues(func() (map[string]schema, error) {
		return readSchemas(s.Schemas, s.Tools)
	})}
}

// Handle answers a request, or lets a call begin that answers later.
func (s *session) Handle(_ context.Context, conn *jsonrpc2.Conn, req *jsonrpc2.Request) {
	if req.Notif {
		s.notified(req)
		return
	}
	switch req.Method {
	case "initialize":
		result, err := s.initialize(req.Params)
		answer(conn, req.ID, result, err)
	case "ping":
		answer(conn, req.ID, struct{}{}, nil)
	case "tools/list", "tools/call":
		if !s.greeted {
			answer(conn, req.ID, nil, failed(jsonrpc2.CodeInvalidRequest, "%s comes after initialize", req.Method))
		} else if req.Method == "tools/list" {
			result, err := s.list(req.Params)
			answer(conn, req.ID, result, err)
		} else if err := s.call(conn, req); err != nil {
			answer(conn, req.ID, nil, err)
		}
	default:
		answer(conn, req.ID, nil, failed(jsonrpc2.CodeMethodNotFound, "method not found: %q", req.Method))
	}
}

// notified ends a call that the client no longer wants. Other notifications
// change nothing here.
func (s *session) notified(req *jsonrpc2.Request) {
	var p struct {
		ID *jsonrpc2.ID `json:"requestId"`
	}
	if req.Method == "notifications/cancelled" && readParams(req.Params, &p) == nil && p.ID != nil {
		s.open.cancel(*p.ID)
	}
}

// readParams reads what a method needs.
func readParams(params *json.RawMessage, into any) error {
	if params == nil {
		return errors.New("params are missing")
	}
	return json.Unmarshal(*params, into)
}

// answer writes the answer to a request. A client that it cannot be written to
// has gone.
func answer(conn *jsonrpc2.Conn, id jsonrpc2.ID, result any, fault *jsonrpc2.Error) {
	response := &jsonrpc2.Response{ID: id, Error: fault}
	if fault == nil {
		if err := response.SetResult(result); err != nil {
			response.Error = failed(jsonrpc2.CodeInternalError, "the result is no JSON: %v", err)
		}
	}
	if err := conn.SendResponse(context.Background(), response); err != nil {
		_ = conn.Close() // Serve tells what was wrong
	}
}

func failed(code int64, format string, args ...any) *jsonrpc2.Error {
	return &jsonrpc2.Error{Code: code, Message: fmt.Sprintf(format, args...)}
}
