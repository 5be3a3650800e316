package agents

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// reply is what the model server answers a request with.
type reply struct {
	status int    // not 200: an error of the API
	text   string // the agent's message
	tool   string // or a call of this tool
	input  any    // with this input
	cut    bool   // the stream ends in the middle
}

// model is a model server of the test's own on 127.0.0.1. It speaks the Messages
// API and the Responses API, and gives its replies in turn, the last one again
// and again.
type model struct {
	t       *testing.T
	url     string
	mu      sync.Mutex
	replies []reply
	bodies  []string
}

func serve(t *testing.T, replies ...reply) *model {
	t.Helper()
	m := &model{t: t, replies: replies}
	server := httptest.NewServer(m)
	t.Cleanup(server.Close)
	m.url = server.URL
	return m
}

func (m *model) next(body string) reply {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.bodies = append(m.bodies, body)
	r := m.replies[0]
	if len(m.replies) > 1 {
		m.replies = m.replies[1:]
	}
	return r
}

// asked gives the bodies of the requests so far.
func (m *model) asked() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return append([]string(nil), m.bodies...)
}

// ServeHTTP answers one request.
func (m *model) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil || r.Method != http.MethodPost {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	switch {
	case strings.HasSuffix(r.URL.Path, "/messages"):
		m.answer(w, m.next(string(body)), messages)
	case strings.HasSuffix(r.URL.Path, "/responses"):
		m.answer(w, m.next(string(body)), responses)
	case strings.HasSuffix(r.URL.Path, ":streamGenerateContent"):
		m.answer(w, m.next(string(body)), contents)
	case strings.HasSuffix(r.URL.Path, ":countTokens"):
		fmt.Fprint(w, `{"totalTokens":11}`)
	default:
		w.WriteHeader(http.StatusNotFound)
	}
}

func (m *model) answer(w http.ResponseWriter, r reply, events func(reply) []event) {
	if r.status != 0 {
		w.Header().Set("Content-Type", "application/json")
		// The clients of both APIs know this header; it keeps the test short.
		w.Header().Set("X-Should-Retry", "false")
		w.WriteHeader(r.status)
		kind, message := "rate_limit_error", "slow down"
		if r.status == 529 {
			kind, message = "overloaded_error", "Overloaded"
		}
		fmt.Fprintf(w, `{"type":"error","error":{"type":%q,"message":%q}}`, kind, message)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	all := events(r)
	if r.cut {
		all = all[:len(all)/2]
	}
	for _, e := range all {
		data, err := json.Marshal(e)
		if err != nil {
			m.t.Error(err)
		}
		if kind, named := e["type"]; named {
			fmt.Fprintf(w, "event: %s\n", kind)
		}
		fmt.Fprintf(w, "data: %s\n\n", data)
	}
	if r.cut {
		// Ends the connection without the end of the body.
		panic(http.ErrAbortHandler)
	}
}

type event map[string]any

// messages is a stream of the Messages API.
func messages(r reply) []event {
	usage := event{"input_tokens": 11, "output_tokens": 1, "cache_read_input_tokens": 5, "cache_creation_input_tokens": 2}
	block, delta, stop := event{"type": "text", "text": ""}, event{"type": "text_delta", "text": r.text}, "end_turn"
	if r.tool != "" {
		input, _ := json.Marshal(r.input)
		block = event{"type": "tool_use", "id": "toolu_1", "name": r.tool, "input": event{}}
		delta, stop = event{"type": "input_json_delta", "partial_json": string(input)}, "tool_use"
	}
	return []event{
		{"type": "message_start", "message": event{
			"id": "msg_1", "type": "message", "role": "assistant", "model": "test", "content": []any{},
			"stop_reason": nil, "stop_sequence": nil, "usage": usage,
		}},
		{"type": "content_block_start", "index": 0, "content_block": block},
		{"type": "content_block_delta", "index": 0, "delta": delta},
		{"type": "content_block_stop", "index": 0},
		{"type": "message_delta", "delta": event{"stop_reason": stop, "stop_sequence": nil}, "usage": event{"output_tokens": 7}},
		{"type": "message_stop"},
	}
}

// responses is a stream of the Responses API.
func responses(r reply) []event {
	item := event{"type": "message", "role": "assistant", "id": "m1", "content": []any{
		event{"type": "output_text", "text": r.text, "annotations": []any{}},
	}}
	if r.tool != "" {
		input, _ := json.Marshal(r.input)
		item = event{"type": "function_call", "id": "f1", "call_id": "c1", "name": r.tool, "arguments": string(input)}
	}
	return []event{
		{"type": "response.created", "response": event{"id": "r1"}},
		{"type": "response.output_item.done", "output_index": 0, "item": item},
		{"type": "response.completed", "response": event{"id": "r1", "usage": event{
			"input_tokens": 11, "input_tokens_details": event{"cached_tokens": 5},
			"output_tokens": 7, "output_tokens_details": event{"reasoning_tokens": 0}, "total_tokens": 18,
		}}},
	}
}

// contents is a stream of the Gemini API.
func contents(r reply) []event {
	part := event{"text": r.text}
	if r.tool != "" {
		part = event{"functionCall": event{"name": r.tool, "args": r.input}}
	}
	return []event{
		{"candidates": []any{event{"content": event{"role": "model", "parts": []any{part}}}}},
		{"candidates": []any{event{"content": event{"role": "model", "parts": []any{event{"text": ""}}}, "finishReason": "STOP"}},
			"usageMetadata": event{"promptTokenCount": 11, "candidatesTokenCount": 7, "totalTokenCount": 18, "cachedContentTokenCount": 5}},
	}
}

// proxy is where every other address leads. What arrives there fails the test.
func proxy(t *testing.T) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		t.Errorf("the CLI tried to reach %s %s", r.Method, r.Host)
		w.WriteHeader(http.StatusBadGateway)
	}))
	t.Cleanup(server.Close)
	return server.URL
}
