package fakecli

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
)

// The variables that tell a fake what it is.
const (
	EnvPreset = "FAKE_AGENT"
	EnvCase   = "FAKE_AGENT_CASE"
)

// CLI is one fake CLI that was started.
type CLI struct {
	// Preset is one of [Voices], and Case what happens.
	Preset, Case string
	// Args are its arguments, Env its environment.
	Args, Env []string
	In        io.Reader
	Out, Err  io.Writer
}

// Run is the life of a fake CLI and gives its exit code. The answer repeats what
// it was asked, so that the tests see that the prompt came in whole.
func (c CLI) Run() int {
	v := Voices[c.Preset]
	prompt, err := c.asked()
	if err != nil {
		fmt.Fprintln(c.Err, err)
		return 97
	}
	show := func(lines []string) { fmt.Fprint(c.Out, strings.Join(lines, "\n")) }
	fail := func(message string, status int) {
		if v.Failure == nil {
			fmt.Fprintf(c.Out, "Error: %s", message)
			return
		}
		show(v.Failure(message, status))
	}
	answer := "you said: " + prompt
	switch c.Case {
	case "ok":
		show(v.Answer(answer))
	case "environment":
		show(v.Answer(strings.Join(c.Env, "\n")))
	case "arguments":
		show(v.Answer(strings.Join(c.Args, "\x01")))
	case "speaks of 429":
		show(v.Answer("HTTP status 429 too many requests; You've hit your usage limit; 529 overloaded"))
	case "error with exit 0":
		fail("the model said no", 400)
	case "result with exit 1":
		show(v.Answer(answer))
		return 1
	case "rate limited twice":
		if turn(2) {
			fail("exceeded retry limit, last status: 429 Too Many Requests", 429)
			return 1
		}
		show(v.Answer(answer))
	case "quota":
		fail("You've hit your session limit · resets Mar 17, 2030, 5:46pm (UTC)", 429)
		return 1
	case "denied":
		show(v.Denied("write"))
	case "silent after the answer":
		show(v.Answer(answer))
		time.Sleep(time.Hour)
	case "never exits":
		time.Sleep(time.Hour)
	case "5 MB":
		fmt.Fprintln(c.Err, strings.Repeat("noise ", 1<<20))
		show(v.Answer(strings.Repeat("0123456789abcde\n", 5<<16)))
	case "invalid UTF-8":
		fmt.Fprint(c.Out, strings.ReplaceAll(strings.Join(v.Answer("caf\xe9"), "\n"), `\ufffd`, "\xe9"))
	case "nothing":
	case "nothing with exit 1":
		fmt.Fprintln(c.Err, "the last words")
		return 1
	case "stderr 529":
		fmt.Fprintln(c.Err, "API error: 529 overloaded")
		return 1
	case "refused":
		show(v.Answer(answer))
		return 79
	case "plain quota":
		fmt.Fprintln(c.Out, "working on 429 files\nError: You've hit your usage limit. Try again in 2 days 3 hours 5 minutes.")
		return 1
	case "plain talk":
		fmt.Fprintln(c.Out, "I was told: HTTP error 429, rate limit.\nSo I stopped.")
		return 1
	case "document":
		fmt.Fprintf(c.Out, "noise\n{\"out\":{\"text\":%s},\"use\":{\"in\":3,\"usd\":-1},\"bad\":%s,\"id\":\"c9\"}\n", q(answer), c.value("FAKE_BAD"))
	default:
		fmt.Fprintln(c.Err, "unknown case", c.Case)
		return 98
	}
	return 0
}

// asked reads the prompt as the preset's documents say it comes.
func (c CLI) asked() (string, error) {
	if i := slices.Index(c.Args, "--message-file"); i >= 0 {
		data, err := os.ReadFile(c.Args[i+1])
		return string(data), err
	}
	if i := slices.Index(c.Args, "--say"); i >= 0 {
		return c.Args[i+1], nil
	}
	data, err := io.ReadAll(c.In)
	return string(data), err
}

// value is that of a variable.
func (c CLI) value(name string) string {
	for _, entry := range c.Env {
		if v, ok := strings.CutPrefix(entry, name+"="); ok {
			return v
		}
	}
	return ""
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
