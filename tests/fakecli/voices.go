// Package fakecli imitates what the agent CLIs of the presets were found to take
// and to print (docs/agents.md). A test program that is started under the name of
// a CLI calls [Run] and behaves like it.
package fakecli

import (
	"encoding/json"
	"fmt"
)

// Voice prints as one CLI does, a line an element.
type Voice struct {
	Answer  func(text string) []string
	Failure func(message string, status int) []string // nil: only its exit code tells
	Denied  func(tool string) []string                // nil: the CLI does not tell
}

func say(format string, args ...any) string { return fmt.Sprintf(format, args...) }

func q(text string) string {
	data, err := json.Marshal(text)
	if err != nil {
		panic(err)
	}
	return string(data)
}

// Claude is the voice of claude and amp.
var Claude = Voice{
	Answer: func(text string) []string {
		return []string{
			`{"type":"system","subtype":"init","session_id":"s1"}`,
			say(`{"type":"assistant","message":{"id":"m1","role":"assistant","content":[{"type":"text","text":%s}],"usage":{"input_tokens":11,"cache_creation_input_tokens":2,"cache_read_input_tokens":5,"output_tokens":1}},"parent_tool_use_id":null,"session_id":"s1"}`, q(text)),
			say(`{"type":"result","subtype":"success","is_error":false,"api_error_status":null,"duration_ms":237,"num_turns":1,"result":%s,"session_id":"s1","total_cost_usd":0.000245,"usage":{"input_tokens":11,"cache_creation_input_tokens":2,"cache_read_input_tokens":5,"output_tokens":7},"permission_denials":[]}`, q(text)),
		}
	},
	Failure: func(message string, status int) []string {
		return []string{
			`{"type":"system","subtype":"init","session_id":"s1"}`,
			say(`{"type":"assistant","message":{"role":"assistant","model":"<synthetic>","content":[{"type":"text","text":%s}]},"parent_tool_use_id":null,"session_id":"s1"}`, q(message)),
			say(`{"type":"result","subtype":"success","is_error":true,"api_error_status":%d,"num_turns":1,"result":%s,"session_id":"s1","total_cost_usd":0,"usage":{"input_tokens":0,"output_tokens":0},"permission_denials":[]}`, status, q(message)),
		}
	},
	Denied: func(tool string) []string {
		return []string{say(`{"type":"result","subtype":"success","is_error":false,"num_turns":2,"result":"could not","session_id":"s1","total_cost_usd":0.1,"usage":{"input_tokens":1,"output_tokens":1},"permission_denials":[{"tool_name":%s,"tool_use_id":"t","tool_input":{}},{"tool_name":%[1]s,"tool_use_id":"u","tool_input":{}}]}`, q(tool))}
	},
}

// Voices are those of the presets, and command is a bare command line.
var Voices = map[string]Voice{
	"claude": Claude, "amp": Claude,
	"codex": {
		Answer: func(text string) []string {
			return []string{
				`{"type":"thread.started","thread_id":"s1"}`,
				`{"type":"item.completed","item":{"id":"item_0","type":"error","message":"Model metadata not found: error 429"}}`,
				`{"type":"turn.started"}`,
				say(`{"type":"item.completed","item":{"id":"item_1","type":"agent_message","text":%s}}`, q(text)),
				`{"type":"turn.completed","usage":{"input_tokens":18,"cached_input_tokens":5,"output_tokens":7,"reasoning_output_tokens":0}}`,
			}
		},
		Failure: func(message string, _ int) []string {
			return []string{
				`{"type":"thread.started","thread_id":"s1"}`, `{"type":"turn.started"}`,
				say(`{"type":"error","message":%s}`, q(message)),
				say(`{"type":"turn.failed","error":{"message":%s}}`, q(message)),
			}
		},
		Denied: func(tool string) []string {
			return []string{
				`{"type":"turn.started"}`,
				say(`{"type":"item.completed","item":{"id":"item_1","type":%s,"status":"declined"}}`, q(tool)),
				`{"type":"item.completed","item":{"id":"item_2","type":"agent_message","text":"could not"}}`,
				`{"type":"turn.completed","usage":{"input_tokens":1,"output_tokens":1}}`,
			}
		},
	},
	"copilot": {
		Answer: func(text string) []string {
			return []string{
				`{"type":"assistant.turn_start","data":{"turnId":"0"}}`,
				say(`{"type":"assistant.message","data":{"content":%s,"toolRequests":[]}}`, q(text)),
				`{"type":"assistant.usage","data":{"inputTokens":18,"outputTokens":7,"cacheReadTokens":5}}`,
				`{"type":"result","sessionId":"s1","exitCode":0,"usage":{"premiumRequests":0,"sessionDurationMs":404}}`,
			}
		},
		Failure: func(message string, status int) []string {
			return []string{
				say(`{"type":"session.error","data":{"errorType":"query","message":%s,"statusCode":%d}}`, q(message), status),
				`{"type":"result","sessionId":"s1","exitCode":1,"usage":{}}`,
			}
		},
		Denied: func(tool string) []string {
			return []string{
				say(`{"type":"tool.execution_start","data":{"toolCallId":"t","toolName":%s}}`, q(tool)),
				`{"type":"tool.execution_complete","data":{"toolCallId":"t","success":false,"error":{"message":"Permission denied","code":"denied"}}}`,
				`{"type":"assistant.message","data":{"content":"could not"}}`,
				`{"type":"result","sessionId":"s1","exitCode":0,"usage":{}}`,
			}
		},
	},
	"gemini": {
		Answer: func(text string) []string {
			half := len(text) / 2
			return []string{
				`{"type":"init","session_id":"s1","model":"auto"}`, `{"type":"message","role":"user","content":"hello"}`,
				say(`{"type":"message","role":"assistant","content":%s,"delta":true}`, q(text[:half])),
				say(`{"type":"message","role":"assistant","content":%s,"delta":true}`, q(text[half:])),
				`{"type":"result","status":"success","stats":{"total_tokens":25,"input_tokens":18,"output_tokens":7,"cached":5,"duration_ms":112}}`,
			}
		},
		Failure: func(message string, _ int) []string {
			return []string{say(`{"type":"result","status":"error","error":{"type":"Error","message":%s},"stats":{}}`, q(message))}
		},
		Denied: func(tool string) []string {
			return []string{
				say(`{"type":"tool_use","tool_name":%s,"tool_id":"t","parameters":{}}`, q(tool)),
				`{"type":"tool_result","tool_id":"t","status":"error","error":{"type":"policy_violation","message":"Tool execution denied by policy."}}`,
				`{"type":"message","role":"assistant","content":"could not","delta":true}`,
				`{"type":"result","status":"success","stats":{}}`,
			}
		},
	},
	"opencode": {
		Answer: func(text string) []string {
			return []string{
				`{"type":"step_start","sessionID":"s1","part":{"type":"step-start"}}`,
				say(`{"type":"text","sessionID":"s1","part":{"messageID":"m","type":"text","text":%s}}`, q(text)),
				`{"type":"step_finish","sessionID":"s1","part":{"reason":"stop","type":"step-finish","tokens":{"input":11,"output":7,"cache":{"write":2,"read":5}},"cost":0.000245}}`,
			}
		},
		Failure: func(message string, status int) []string {
			return []string{say(`{"type":"error","sessionID":"s1","error":{"name":"APIError","data":{"message":%s,"statusCode":%d,"isRetryable":false}}}`, q(message), status)}
		},
		Denied: func(tool string) []string {
			return []string{
				say(`{"type":"tool_use","sessionID":"s1","part":{"tool":%s,"state":{"status":"error","error":"The user rejected permission to use this specific tool call."}}}`, q(tool)),
				`{"type":"text","sessionID":"s1","part":{"messageID":"m","type":"text","text":"could not"}}`,
				`{"type":"step_finish","sessionID":"s1","part":{"reason":"stop"}}`,
			}
		},
	},
	"goose": {
		Answer: func(text string) []string {
			return []string{
				say(`{"type":"message","message":{"id":"m","role":"assistant","created":1,"content":[{"type":"text","text":%s}]}}`, q(text)),
				`{"type":"complete","total_tokens":25,"input_tokens":18,"output_tokens":7}`,
			}
		},
		Failure: func(message string, _ int) []string { return []string{say(`{"type":"error","error":%s}`, q(message))} },
	},
	"aider":   {Answer: func(text string) []string { return []string{text} }},
	"command": {Answer: func(text string) []string { return []string{text} }},
}
