package agent

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// The test binary stands in for every CLI: started with this variable it prints
// what the preset of that name was found to print (docs/agents.md).
const (
	envFake = "FAKE_AGENT"      // the preset
	envCase = "FAKE_AGENT_CASE" // what happens
)

func TestMain(m *testing.M) {
	if preset := os.Getenv(envFake); preset != "" {
		os.Exit(fake(preset, os.Getenv(envCase)))
	}
	os.Exit(m.Run())
}

// voice prints as one CLI does.
type voice struct {
	answer  func(text string) []string
	failure func(message string, status int) []string
	denied  func(tool string) []string // nil: the CLI does not tell
}

func say(format string, args ...any) string { return fmt.Sprintf(format, args...) }

func q(text string) string {
	data, err := json.Marshal(text)
	if err != nil {
		panic(err)
	}
	return string(data)
}

var claudeVoice = voice{
	answer: func(text string) []string {
		return []string{
			`{"type":"system","subtype":"init","session_id":"s1"}`,
			say(`{"type":"assistant","message":{"role":"assistant","content":[{"type":"text","text":%s}]},"parent_tool_use_id":null,"session_id":"s1"}`, q(text)),
			say(`{"type":"result","subtype":"success","is_error":false,"api_error_status":null,"duration_ms":237,"num_turns":1,"result":%s,"session_id":"s1","total_cost_usd":0.000245,"usage":{"input_tokens":11,"cache_creation_input_tokens":2,"cache_read_input_tokens":5,"output_tokens":7},"permission_denials":[]}`, q(text)),
		}
	},
	failure: func(message string, status int) []string {
		return []string{
			`{"type":"system","subtype":"init","session_id":"s1"}`,
			say(`{"type":"assistant","message":{"role":"assistant","model":"<synthetic>","content":[{"type":"text","text":%s}]},"parent_tool_use_id":null,"session_id":"s1"}`, q(message)),
			say(`{"type":"result","subtype":"success","is_error":true,"api_error_status":%d,"num_turns":1,"result":%s,"session_id":"s1","total_cost_usd":0,"usage":{"input_tokens":0,"output_tokens":0},"permission_denials":[]}`, status, q(message)),
		}
	},
	denied: func(tool string) []string {
		return []string{say(`{"type":"result","subtype":"success","is_error":false,"num_turns":2,"result":"could not","session_id":"s1","total_cost_usd":0.1,"usage":{"input_tokens":1,"output_tokens":1},"permission_denials":[{"tool_name":%s,"tool_use_id":"t","tool_input":{}},{"tool_name":%[1]s,"tool_use_id":"u","tool_input":{}}]}`, q(tool))}
	},
}

var voices = map[string]voice{
	"claude": claudeVoice, "amp": claudeVoice,
	"codex": {
		answer: func(text string) []string {
			return []string{
				`{"type":"thread.started","thread_id":"s1"}`,
				`{"type":"item.completed","item":{"id":"item_0","type":"error","message":"Model metadata not found: error 429"}}`,
				`{"type":"turn.started"}`,
				say(`{"type":"item.completed","item":{"id":"item_1","type":"agent_message","text":%s}}`, q(text)),
				`{"type":"turn.completed","usage":{"input_tokens":18,"cached_input_tokens":5,"output_tokens":7,"reasoning_output_tokens":0}}`,
			}
		},
		failure: func(message string, _ int) []string {
			return []string{
				`{"type":"thread.started","thread_id":"s1"}`, `{"type":"turn.started"}`,
				say(`{"type":"error","message":%s}`, q(message)),
				say(`{"type":"turn.failed","error":{"message":%s}}`, q(message)),
			}
		},
		denied: func(tool string) []string {
			return []string{
				`{"type":"turn.started"}`,
				say(`{"type":"item.completed","item":{"id":"item_1","type":%s,"status":"declined"}}`, q(tool)),
				`{"type":"item.completed","item":{"id":"item_2","type":"agent_message","text":"could not"}}`,
				`{"type":"turn.completed","usage":{"input_tokens":1,"output_tokens":1}}`,
			}
		},
	},
	"copilot": {
		answer: func(text string) []string {
			return []string{
				`{"type":"assistant.turn_start","data":{"turnId":"0"}}`,
				say(`{"type":"assistant.message","data":{"content":%s,"toolRequests":[]}}`, q(text)),
				`{"type":"assistant.usage","data":{"inputTokens":18,"outputTokens":7,"cacheReadTokens":5}}`,
				`{"type":"result","sessionId":"s1","exitCode":0,"usage":{"premiumRequests":0,"sessionDurationMs":404}}`,
			}
		},
		failure: func(message string, status int) []string {
			return []string{
				say(`{"type":"session.error","data":{"errorType":"query","message":%s,"statusCode":%d}}`, q(message), status),
				`{"type":"result","sessionId":"s1","exitCode":1,"usage":{}}`,
			}
		},
		denied: func(tool string) []string {
			return []string{
				say(`{"type":"tool.execution_start","data":{"toolCallId":"t","toolName":%s}}`, q(tool)),
				`{"type":"tool.execution_complete","data":{"toolCallId":"t","success":false,"error":{"message":"Permission denied","code":"denied"}}}`,
				`{"type":"assistant.message","data":{"content":"could not"}}`,
				`{"type":"result","sessionId":"s1","exitCode":0,"usage":{}}`,
			}
		},
	},
	"gemini": {
		answer: func(text string) []string {
			half := len(text) / 2
			return []string{
				`{"type":"init","session_id":"s1","model":"auto"}`, `{"type":"message","role":"user","content":"hello"}`,
				say(`{"type":"message","role":"assistant","content":%s,"delta":true}`, q(text[:half])),
				say(`{"type":"message","role":"assistant","content":%s,"delta":true}`, q(text[half:])),
				`{"type":"result","status":"success","stats":{"total_tokens":25,"input_tokens":18,"output_tokens":7,"cached":5,"duration_ms":112}}`,
			}
		},
		failure: func(message string, _ int) []string {
			return []string{say(`{"type":"result","status":"error","error":{"type":"Error","message":%s},"stats":{}}`, q(message))}
		},
		denied: func(tool string) []string {
			return []string{
				say(`{"type":"tool_use","tool_name":%s,"tool_id":"t","parameters":{}}`, q(tool)),
				`{"type":"tool_result","tool_id":"t","status":"error","error":{"type":"policy_violation","message":"Tool execution denied by policy."}}`,
				`{"type":"message","role":"assistant","content":"could not","delta":true}`,
				`{"type":"result","status":"success","stats":{}}`,
			}
		},
	},
	"opencode": {
		answer: func(text string) []string {
			return []string{
				`{"type":"step_start","sessionID":"s1","part":{"type":"step-start"}}`,
				say(`{"type":"text","sessionID":"s1","part":{"messageID":"m","type":"text","text":%s}}`, q(text)),
				`{"type":"step_finish","sessionID":"s1","part":{"reason":"stop","type":"step-finish","tokens":{"input":11,"output":7,"cache":{"write":2,"read":5}},"cost":0.000245}}`,
			}
		},
		failure: func(message string, status int) []string {
			return []string{say(`{"type":"error","sessionID":"s1","error":{"name":"APIError","data":{"message":%s,"statusCode":%d,"isRetryable":false}}}`, q(message), status)}
		},
		denied: func(tool string) []string {
			return []string{
				say(`{"type":"tool_use","sessionID":"s1","part":{"tool":%s,"state":{"status":"error","error":"The user rejected permission to use this specific tool call."}}}`, q(tool)),
				`{"type":"text","sessionID":"s1","part":{"messageID":"m","type":"text","text":"could not"}}`,
				`{"type":"step_finish","sessionID":"s1","part":{"reason":"stop"}}`,
			}
		},
	},
	"goose": {
		answer: func(text string) []string {
			return []string{
				say(`{"type":"message","message":{"id":"m","role":"assistant","created":1,"content":[{"type":"text","text":%s}]}}`, q(text)),
				`{"type":"complete","total_tokens":25,"input_tokens":18,"output_tokens":7}`,
			}
		},
		failure: func(message string, _ int) []string { return []string{say(`{"type":"error","error":%s}`, q(message))} },
	},
	"aider":   {answer: func(text string) []string { return []string{text} }},
	"command": {answer: func(text string) []string { return []string{text} }},
}

// fake is the life of one fake CLI. The answer repeats what it was asked, so
// that the tests see that the prompt came in whole.
func fake(preset, what string) int {
	v := voices[preset]
	prompt, err := asked()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 97
	}
	show := func(lines []string) { fmt.Print(strings.Join(lines, "\n")) }
	answer := "you said: " + prompt
	switch what {
	case "ok":
		show(v.answer(answer))
	case "environment":
		show(v.answer(strings.Join(os.Environ(), "\n")))
	case "arguments":
		show(v.answer(strings.Join(os.Args[1:], "\x01")))
	case "speaks of 429":
		show(v.answer("HTTP status 429 too many requests; You've hit your usage limit; 529 overloaded"))
	case "error with exit 0":
		show(v.failure("the model said no", 400))
	case "result with exit 1":
		show(v.answer(answer))
		return 1
	case "rate limited twice":
		if turn(2) {
			show(v.failure("exceeded retry limit, last status: 429 Too Many Requests", 429))
			return 1
		}
		show(v.answer(answer))
	case "quota":
		show(v.failure("You've hit your session limit · resets Mar 17, 2030, 5:46pm (UTC)", 429))
		return 1
	case "denied":
		show(v.denied("write"))
	case "silent after the answer":
		show(v.answer(answer))
		time.Sleep(time.Hour)
	case "never exits":
		time.Sleep(time.Hour)
	case "5 MB":
		fmt.Fprintln(os.Stderr, strings.Repeat("noise ", 1<<20))
		show(v.answer(strings.Repeat("0123456789abcde\n", 5<<16)))
	case "invalid UTF-8":
		fmt.Print(strings.ReplaceAll(strings.Join(v.answer("caf\xe9"), "\n"), `\ufffd`, "\xe9"))
	case "nothing":
	case "nothing with exit 1":
		fmt.Fprintln(os.Stderr, "the last words")
		return 1
	case "stderr 529":
		fmt.Fprintln(os.Stderr, "API error: 529 overloaded")
		return 1
	case "refused":
		show(v.answer(answer))
		return ExitRefused
	case "plain quota":
		fmt.Println("working on 429 files\nError: You've hit your usage limit. Try again in 2 days 3 hours 5 minutes.")
		return 1
	case "plain talk":
		fmt.Println("I was told: HTTP error 429, rate limit.\nSo I stopped.")
		return 1
	case "document":
		fmt.Printf("noise\n{\"out\":{\"text\":%s},\"use\":{\"in\":3,\"usd\":-1},\"bad\":%s,\"id\":\"c9\"}\n", q(answer), os.Getenv("FAKE_BAD"))
	default:
		fmt.Fprintln(os.Stderr, "unknown case", what)
		return 98
	}
	return 0
}

// asked reads the prompt as the preset's documents say it comes.
func asked() (string, error) {
	if i := slices.Index(os.Args, "--message-file"); i >= 0 {
		data, err := os.ReadFile(os.Args[i+1])
		return string(data), err
	}
	if i := slices.Index(os.Args, "--say"); i >= 0 {
		return os.Args[i+1], nil
	}
	data, err := io.ReadAll(os.Stdin)
	return string(data), err
}

// turn reports true the first n times it is called in this folder.
func turn(n int) bool {
	const file = "turns"
	data, _ := os.ReadFile(file)
	count, _ := strconv.Atoi(string(bytes.TrimSpace(data)))
	if err := os.WriteFile(file, []byte(strconv.Itoa(count+1)), 0o600); err != nil {
		panic(err)
	}
	return count < n
}

// faked is a request to the fake of a preset.
func faked(t *testing.T, preset, what string) Request {
	t.Helper()
	d, ok := Preset(preset)
	if !ok {
		d = Plain([]string{"command"})
	}
	return fakedBy(t, d, what)
}

func fakedBy(t *testing.T, d *Definition, what string) Request {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	d.Command[0] = self
	voice := d.Name
	if _, known := voices[voice]; !known {
		voice = "command"
	}
	return Request{
		Agent: d, Step: "outer/step", Prompt: "what is it?", Dir: t.TempDir(), Scratch: t.TempDir(),
		Env: []string{envFake + "=" + voice, envCase + "=" + what, "GOCOVERDIR=" + t.TempDir()},
		Now: time.Date(2026, 12, 1, 10, 0, 0, 0, time.UTC),
	}
}

func call(t *testing.T, req Request) Answer {
	t.Helper()
	a, err := Call(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	return a
}
