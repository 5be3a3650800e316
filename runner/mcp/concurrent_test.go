package mcp_test

import (
	"context"
	"strings"
	"testing"

	"github.com/brickoven/brickoven/runner/mcp"
)

// oven is a tool whose calls begin and end when the test says so.
type oven struct {
	begun chan string         // the name of each call that has begun
	ended chan error          // the cause with which the context of a call ended
	done  map[string]chan any // by name; lets the call end well
}

func newOven(names ...string) (*oven, mcp.Tool) {
	o := &oven{begun: make(chan string, 9), ended: make(chan error, 9), done: map[string]chan any{}}
	for _, name := range names {
		o.done[name] = make(chan any)
	}
	return o, mcp.NewTool("bake", "Bakes until it is done.", false, o.bake)
}

func (o *oven) bake(ctx context.Context, in echoInput) (echoOutput, error) {
	o.begun <- in.Text
	select {
	case <-o.done[in.Text]:
		return echoOutput{Said: in.Text}, nil
	case <-ctx.Done():
		o.ended <- context.Cause(ctx)
		return echoOutput{}, context.Cause(ctx)
	}
}

// begin has a call begin.
func (o *oven) begin(c *client, id, name string) {
	c.send(bake(id, name))
	<-o.begun
}

func bake(id, name string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{"name":"bake","arguments":{"text":"` + name + `"}}}`
}

func baked(id, name string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"result":{"content":[{"type":"text","text":"{\"said\":\"` + name + `\"}"}],"structuredContent":{"said":"` + name + `"}}}`
}

func TestCallsAnswerInTheOrderInWhichTheyEnd(t *testing.T) {
	t.Parallel()
	o, tool := newOven("bread", "cake")
	c := greeted(t.Context(), t, newServer(t, tool))
	o.begin(c, "1", "bread")
	o.begin(c, `"1"`, "cake") // a text is another id than the number
	c.send(isOpen)
	c.want(`{"jsonrpc":"2.0","id":"open?","result":{}}`)
	close(o.done["cake"])
	c.want(baked(`"1"`, "cake"))
	close(o.done["bread"])
	c.want(baked("1", "bread"))
	if rest, err := c.end(); rest != "" || err != nil {
		t.Errorf("%q, %v", rest, err)
	}
}

func TestACancelledCallEndsWithoutAnAnswer(t *testing.T) {
	t.Parallel()
	o, tool := newOven("bread", "cake")
	c := greeted(t.Context(), t, newServer(t, tool))
	o.begin(c, "1", "bread")
	o.begin(c, `"1"`, "cake")
	c.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"1","reason":"burnt"}}`)
	if cause := <-o.ended; cause != mcp.ErrCancelled {
		t.Errorf("the cause is %v", cause)
	}
	close(o.done["bread"])
	c.want(baked("1", "bread"))
	// One that has ended is not cancelled any more.
	c.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)
	if rest, err := c.end(); rest != "" || err != nil {
		t.Errorf("%q, %v", rest, err)
	}
}

func TestAnIDIsTakenAsLongAsItsCallIsOpen(t *testing.T) {
	t.Parallel()
	o, tool := newOven("bread", "cake")
	c := greeted(t.Context(), t, newServer(t, tool))
	o.begin(c, "1", "bread")
	c.send(bake("1", "cake"))
	c.want(`{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"a call with the id 1 is open"}}`)
	close(o.done["bread"])
	c.want(baked("1", "bread"))
	c.send(bake("1", "cake"))
	close(o.done["cake"])
	c.want(baked("1", "cake"))
}

func TestAPanicHurtsNoOtherCall(t *testing.T) {
	t.Parallel()
	o, tool := newOven("bread")
	c := greeted(t.Context(), t, newServer(t, tool))
	o.begin(c, "1", "bread")
	c.send(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"crash"}}`)
	c.want(`{"jsonrpc":"2.0","id":2,"error":{"code":-32603,"message":"the tool crash panicked: no flour"}}`)
	close(o.done["bread"])
	c.want(baked("1", "bread"))
}

func TestAHugeArgumentArrivesWhole(t *testing.T) {
	t.Parallel()
	o, tool := newOven()
	c := greeted(t.Context(), t, newServer(t, tool))
	name := strings.Repeat("x", 2<<20)
	c.send(bake("1", name))
	if got := <-o.begun; got != name {
		t.Errorf("%d bytes arrived", len(got))
	}
}
