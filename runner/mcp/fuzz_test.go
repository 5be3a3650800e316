package mcp_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/brickoven/brickoven/runner/mcp"
)

// survives serves lines and, after them, a ping that must be answered.
func survives(s *mcp.Server, lines string) (fault string) {
	var out strings.Builder
	if err := s.Serve(context.Background(), strings.NewReader(hello+"\n"+lines+"\n"+isOpen+"\n"), &out); err != nil {
		return err.Error()
	}
	alive := false
	for line := range strings.Lines(out.String()) {
		var answer struct {
			Version string           `json:"jsonrpc"`
			ID      any              `json:"id"`
			Result  *json.RawMessage `json:"result"`
			Error   *json.RawMessage `json:"error"`
		}
		if err := json.Unmarshal([]byte(line), &answer); err != nil {
			return err.Error() + ": " + line
		}
		if answer.Version != "2.0" || (answer.Result == nil) == (answer.Error == nil) {
			return "no answer: " + line
		}
		alive = alive || answer.ID == "open?" && answer.Result != nil
	}
	if !alive {
		return "the ping was not answered: " + out.String()
	}
	return ""
}

func FuzzNoLineBringsTheServerDown(f *testing.F) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			if sent, is := strings.CutPrefix(line, "> "); is {
				f.Add(sent)
			}
		}
	}
	f.Add(strings.Repeat("[", 20000))
	f.Add(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"text":"` + "\xff\u2028" + `\ud800"}}}`)
	s := newServer(f)
	f.Fuzz(func(t *testing.T, line string) {
		if fault := survives(s, line); fault != "" {
			t.Error(fault)
		}
	})
}

// Messages that are nearly right get further than a fuzzer does.
func TestNoMessageBringsTheServerDown(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	pick := func(t *rapid.T, name string, of ...string) string { return rapid.SampledFrom(of).Draw(t, name) }
	rapid.Check(t, func(t *rapid.T) {
		var lines strings.Builder
		for range rapid.IntRange(1, 6).Draw(t, "lines") {
			id := pick(t, "id", `"id":1,`, `"id":"a",`, `"id":-1,`, `"id":1e2,`, `"id":null,`, `"id":[],`, ``)
			method := pick(t, "method", "initialize", "ping", "tools/list", "tools/call", "notifications/cancelled", "notifications/initialized", "")
			name := pick(t, "tool", `"name":"echo",`, `"name":"fail",`, `"name":"crash",`, `"name":"no",`, `"name":1,`, ``)
			arguments := pick(t, "arguments", `{"text":"a"}`, `{"text":"a","times":2.0}`, `{"text":"a","times":-1}`, `{"text":null}`, `{"more":{}}`, `null`, `[]`, `"x"`)
			params := pick(t, "params", `{`+name+`"arguments":`+arguments+`}`, `{"cursor":"x"}`, `{"requestId":1}`, `{"protocolVersion":1}`, `[]`, `null`)
			lines.WriteString(`{"jsonrpc":"2.0",` + id + `"method":"` + method + `","params":` + params + "}\n")
		}
		if fault := survives(s, lines.String()); fault != "" {
			t.Fatal(fault)
		}
	})
}
