package agent

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The events of every CLI that streams its tool calls give the same calls.
func TestToolCallsAreReadFromEveryStream(t *testing.T) {
	t.Parallel()
	for name, stream := range map[string]string{
		"claude": `
{"type":"assistant","message":{"content":[{"type":"text","text":"hm"},{"type":"tool_use","id":"1","name":"Bash","input":{"command":"ls"}}]}}
{"type":"assistant","message":{"content":[{"type":"tool_use","id":"2","name":"Edit","input":{}}]}}
{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"1","content":"a b"},{"type":"tool_result","tool_use_id":"2","is_error":true,"content":"no"}]}}
{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"unknown","content":"?"}]}}`,
		"copilot": `
{"type":"tool.execution_start","data":{"toolCallId":"1","toolName":"Bash","arguments":{"command":"ls"}}}
{"type":"tool.execution_complete","data":{"toolCallId":"1","success":true,"result":"a b"}}
{"type":"tool.execution_start","data":{"toolCallId":"2","toolName":"Edit","arguments":{}}}
{"type":"tool.execution_complete","data":{"toolCallId":"2","success":false,"error":{"message":"no"}}}`,
		"gemini": `
{"type":"tool_use","tool_id":"1","tool_name":"Bash","parameters":{"command":"ls"}}
{"type":"tool_result","tool_id":"1","status":"success","output":"a b"}
{"type":"tool_use","tool_id":"2","tool_name":"Edit","parameters":{}}
{"type":"tool_result","tool_id":"2","status":"error","error":{"message":"no"}}`,
		"opencode": `
{"type":"tool_use","part":{"tool":"Bash","state":{"status":"running","input":{"command":"ls"}}}}
{"type":"tool_use","part":{"tool":"Bash","state":{"status":"completed","input":{"command":"ls"},"output":"a b"}}}
{"type":"tool_use","part":{"tool":"Edit","state":{"status":"error","input":{},"error":"no"}}}`,
	} {
		got, err := ReadTools(strings.NewReader(stream))
		if err != nil {
			t.Fatal(err)
		}
		want := []ToolUse{{Name: "Bash", Args: `{"command":"ls"}`, Output: "a b"}, {Name: "Edit", Args: "{}", Failed: true, Output: "no"}}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestToolCallsOfCodex(t *testing.T) {
	t.Parallel()
	got, err := ReadTools(strings.NewReader(`
{"type":"item.completed","item":{"type":"agent_message","text":"hm"}}
{"type":"item.completed","item":{"type":"command_execution","command":"ls","aggregated_output":"a b","status":"completed"}}
{"type":"item.completed","item":{"type":"command_execution","command":"rm","aggregated_output":"","status":"failed"}}
{"type":"item.completed","item":{"type":"file_change","changes":[{"path":"a"}],"status":"completed"}}
{"type":"item.completed","item":{"type":"mcp_tool_call","server":"s","tool":"t","arguments":{"x":1},"error":{"message":"no"},"status":"failed"}}
{"type":"item.completed","item":{"type":"web_search","query":"q"}}
not an event`))
	if err != nil {
		t.Fatal(err)
	}
	want := []ToolUse{
		{Name: "command_execution", Args: "ls", Output: "a b"}, {Name: "command_execution", Args: "rm", Failed: true},
		{Name: "file_change", Args: `[{"path":"a"}]`}, {Name: "s.t", Args: `{"x":1}`, Output: "no", Failed: true},
		{Name: "web_search", Args: "q"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func FuzzReadTools(f *testing.F) {
	f.Add(`{"type":"tool_use","part":3}` + "\n" + `{"type":"user","message":[]}` + "\n" + `{"type":"item.completed"}`)
	f.Fuzz(func(t *testing.T, stream string) {
		if _, err := ReadTools(strings.NewReader(stream)); err != nil {
			t.Fatal(err)
		}
	})
}
