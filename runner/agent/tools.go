package agent

import (
	"bytes"
	"io"

	"github.com/brickoven/brickoven/recipes/value"
)

// ToolUse is one tool call of an agent with what came of it.
type ToolUse struct {
	Name string
	// Args are the arguments as JSON; empty where there are none.
	Args   string
	Failed bool
	// Output is what the tool gave back, as text or JSON.
	Output string
}

// Tools picks the tool calls out of the events that a CLI streams. It knows the
// events of all presets by their shape; what it does not know it passes over.
// It is not safe for concurrent use.
type Tools struct {
	open map[string]ToolUse // calls without a result, by their id
}

// Event takes one event of a stream and returns the calls that it completes.
func (t *Tools) Event(v map[string]any) []ToolUse {
	switch text(v, "type") {
	case "assistant": // Claude Code, Amp
		for _, part := range list(v, "message.content") {
			if text(part, "type") == "tool_use" {
				t.begin(text(part, "id"), text(part, "name"), at(part, "input"))
			}
		}
	case "user":
		var ended []ToolUse
		for _, part := range list(v, "message.content") {
			if text(part, "type") == "tool_result" {
				ended = t.end(ended, text(part, "tool_use_id"), truth(part, "is_error"), at(part, "content"))
			}
		}
		return ended
	case "tool.execution_start": // GitHub Copilot CLI
		t.begin(text(v, "data.toolCallId"), text(v, "data.toolName"), at(v, "data.arguments"))
	case "tool.execution_complete":
		success, known := at(v, "data.success").(bool)
		result := at(v, "data.result")
		if result == nil {
			result = at(v, "data.error.message")
		}
		return t.end(nil, text(v, "data.toolCallId"), known && !success, result)
	case "item.completed": // Codex
		return codexUse(v)
	case "tool_use":
		if at(v, "part") != nil { // OpenCode
			return opencodeUse(v)
		}
		t.begin(text(v, "tool_id"), text(v, "tool_name"), at(v, "parameters")) // Gemini CLI
	case "tool_result":
		output := at(v, "output")
		if output == nil {
			output = at(v, "error.message")
		}
		return t.end(nil, text(v, "tool_id"), text(v, "status") == "error", output)
	}
	return nil
}

// maxOpen bounds the calls that wait for their results.
const maxOpen = 1000

func (t *Tools) begin(id, name string, args any) {
	if t.open == nil || len(t.open) >= maxOpen {
		t.open = map[string]ToolUse{}
	}
	if id != "" && name != "" {
		t.open[id] = ToolUse{Name: name, Args: printed(args)}
	}
}

func (t *Tools) end(ended []ToolUse, id string, failed bool, output any) []ToolUse {
	use, known := t.open[id]
	if !known {
		return ended
	}
	delete(t.open, id)
	use.Failed, use.Output = failed, printed(output)
	return append(ended, use)
}

// codexUse reads a finished item; what is no tool is none.
func codexUse(v map[string]any) []ToolUse {
	kind := text(v, "item.type")
	use := ToolUse{Name: kind, Failed: text(v, "item.status") == "failed"}
	switch kind {
	case "command_execution":
		use.Args, use.Output = text(v, "item.command"), printed(at(v, "item.aggregated_output"))
	case "file_change":
		use.Args = printed(at(v, "item.changes"))
	case "mcp_tool_call":
		use.Name = text(v, "item.server") + "." + text(v, "item.tool")
		use.Args, use.Output = printed(at(v, "item.arguments")), printed(at(v, "item.result"))
		if message := text(v, "item.error.message"); message != "" {
			use.Output = message
		}
	case "web_search":
		use.Args = text(v, "item.query")
	default:
		return nil
	}
	return []ToolUse{use}
}

// opencodeUse reads a call that is over.
func opencodeUse(v map[string]any) []ToolUse {
	status := text(v, "part.state.status")
	if status != "completed" && status != "error" {
		return nil
	}
	use := ToolUse{Name: text(v, "part.tool"), Args: printed(at(v, "part.state.input")), Failed: status == "error"}
	use.Output = printed(at(v, "part.state.output"))
	if use.Failed {
		use.Output = text(v, "part.state.error")
	}
	return []ToolUse{use}
}

// printed is a value as text; empty for null.
func printed(v any) string {
	if v == nil {
		return ""
	}
	return value.Text(v)
}

// ReadTools picks the tool calls out of a whole output of an agent CLI. What is
// no event is passed over.
func ReadTools(output io.Reader) ([]ToolUse, error) {
	var tools Tools
	var uses []ToolUse
	t := newTranscript(&toolStream{take: func(v map[string]any) { uses = append(uses, tools.Event(v)...) }}, nil)
	if _, err := io.Copy(t, output); err != nil {
		return nil, err
	}
	if len(bytes.TrimSpace(t.line)) > 0 {
		t.flush()
	}
	return uses, nil
}

// WatchTools returns a writer for what an agent CLI prints, which tells the tool
// calls as soon as they are complete. It never fails.
func WatchTools(tell func([]ToolUse)) io.Writer {
	tools := &Tools{}
	return newTranscript(&toolStream{take: func(v map[string]any) {
		if uses := tools.Event(v); len(uses) > 0 {
			tell(uses)
		}
	}}, nil)
}

// toolStream hands on the events of a stream.
type toolStream struct{ take func(v map[string]any) }

func (s *toolStream) event(v map[string]any) { s.take(v) }
func (s *toolStream) used() Usage            { return Usage{} }
func (s *toolStream) end(string) outcome     { return outcome{} }
