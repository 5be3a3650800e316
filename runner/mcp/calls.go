package mcp

import (
	"context"
	"errors"
	"sync"

	"github.com/sourcegraph/jsonrpc2"
)

// The causes with which the context of a call ends before the call does.
var (
	ErrCancelled = errors.New("the client cancelled the call")
	ErrGone      = errors.New("the client has gone")
)

// calls are those that are open.
type calls struct {
	ctx      context.Context
	running  sync.WaitGroup // their tools
	answered sync.WaitGroup // and the writing of their answers

	mu    sync.Mutex
	open  map[jsonrpc2.ID]context.CancelCauseFunc
	ended bool
}

func newCalls(ctx context.Context) *calls {
	return &calls{ctx: ctx, open: map[jsonrpc2.ID]context.CancelCauseFunc{}}
}

// begin opens a call, which counts until finish and answered.Done.
func (c *calls) begin(id jsonrpc2.ID) (context.Context, *jsonrpc2.Error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ended {
		return nil, failed(jsonrpc2.CodeInternalError, "the server is ending")
	}
	if _, taken := c.open[id]; taken {
		return nil, failed(jsonrpc2.CodeInvalidRequest, "a call with the id %s is open", id)
	}
	ctx, cancel := context.WithCancelCause(c.ctx)
	c.open[id] = cancel
	c.running.Add(1)
	c.answered.Add(1)
	return ctx, nil
}

// cancel takes a call back, if it is open.
func (c *calls) cancel(id jsonrpc2.ID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if cancel, open := c.open[id]; open {
		cancel(ErrCancelled)
	}
}

// finish closes a call, before its answer lets the client use the id again.
func (c *calls) finish(id jsonrpc2.ID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.open[id](nil)
	delete(c.open, id)
	c.running.Done()
}

// end lets no call begin any more, cancels those that are open and waits for
// their tools.
func (c *calls) end() {
	c.mu.Lock()
	c.ended = true
	for _, cancel := range c.open {
		cancel(ErrGone)
	}
	c.mu.Unlock()
	c.running.Wait()
}

// settle is end, and waits until the answers are written as well. A client that
// does not read may keep it waiting.
func (c *calls) settle() {
	c.end()
	c.answered.Wait()
}
