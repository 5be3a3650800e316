package agent

import (
	"bytes"
	"encoding/json"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/brickoven/brickoven/recipes/value"
)

// keepBytes is how much of a plain output is kept, and how long one event of a
// stream may be.
const keepBytes = 10 << 20

// outcome is what the output says of the call, before the exit code is asked.
type outcome struct {
	// complete tells that the CLI said it was done, or that it printed its whole
	// result.
	complete bool
	// structured tells that a complete result was in the CLI's own format, so
	// that silence after it cannot be the silence of work.
	structured bool
	text       string
	failed     bool
	// message is the CLI's own error message, status its HTTP status.
	message string
	status  int
	// kind is the fault that the CLI named by a word of its own.
	kind         Fault
	resetsAt     *time.Time
	exhausted    bool
	denied       []string
	conversation string
	usage        Usage
	remarks      []string
	truncated    bool
}

// reading takes a CLI's output apart.
type reading interface {
	// event takes one object of a stream.
	event(v map[string]any)
	// used is what the CLI has told of its usage so far.
	used() Usage
	// end gives what was read. plain is the output as text, of which stream
	// formats keep only what is no event.
	end(plain string) outcome
}

func (d *Definition) reading() reading {
	switch d.Result.Format {
	case "claude":
		return &claudeStream{}
	case "codex":
		return &codexStream{}
	case "copilot":
		return &copilotStream{}
	case "gemini":
		return &geminiStream{}
	case "opencode":
		return &opencodeStream{}
	case "goose":
		return &gooseStream{}
	case FormatJSON:
		return document{d.Result}
	}
	return plainText{}
}

// transcript is a writer that reads the output of a CLI while it comes.
type transcript struct {
	reading reading
	stream  bool
	line    []byte // an unfinished one
	skip    bool   // the rest of a line that is too long
	plain   []byte
	cut     int64
	remarks []string
	tell    func(Usage) // of the usage, whenever it has changed; may be nil
	told    Usage
}

func newTranscript(r reading, tell func(Usage)) *transcript {
	switch r.(type) {
	case plainText, document:
		return &transcript{reading: r}
	}
	return &transcript{reading: r, stream: true, tell: tell}
}

// Write never fails.
func (t *transcript) Write(piece []byte) (int, error) {
	n := len(piece)
	if !t.stream {
		t.keep(piece)
		return n, nil
	}
	for len(piece) > 0 {
		end := bytes.IndexByte(piece, '\n')
		if end < 0 {
			t.extend(piece)
			break
		}
		t.extend(piece[:end])
		t.flush()
		piece = piece[end+1:]
	}
	return n, nil
}

func (t *transcript) extend(piece []byte) {
	if t.skip {
		return
	}
	if len(t.line)+len(piece) > keepBytes {
		t.line, t.skip = nil, true
		t.cut += keepBytes
		return
	}
	t.line = append(t.line, piece...)
}

func (t *transcript) flush() {
	line := bytes.TrimSpace(t.line)
	t.line, t.skip = t.line[:0], false
	if len(line) == 0 {
		return
	}
	if v, ok := object(line); ok {
		t.reading.event(v)
		if t.tell != nil {
			t.report()
		}
		return
	}
	t.keep(line)
	t.keep([]byte("\n"))
}

// report tells what was used so far, if that is news.
func (t *transcript) report() {
	if u := t.reading.used(); u.Known() && !u.equal(t.told) {
		t.told = u
		t.tell(u)
	}
}

// keep remembers the end of what is no event; an answer stands at the end.
func (t *transcript) keep(piece []byte) {
	t.plain = append(t.plain, piece...)
	if over := len(t.plain) - keepBytes; over > keepBytes {
		t.plain = append(t.plain[:0], t.plain[over:]...)
		t.cut += int64(over)
	}
}

func (t *transcript) finish() outcome {
	if t.stream {
		t.flush()
	}
	if over := len(t.plain) - keepBytes; over > 0 {
		t.plain = t.plain[over:]
		t.cut += int64(over)
	}
	if t.cut > 0 {
		for len(t.plain) > 0 && !utf8.RuneStart(t.plain[0]) {
			t.plain = t.plain[1:]
		}
	}
	o := t.reading.end(string(t.plain))
	o.truncated = t.cut > 0
	if o.truncated {
		o.remarks = append(o.remarks, "the output was too long and is cut")
	}
	o.remarks = append(o.remarks, t.remarks...)
	return o
}

// object reads one event; bytes that are not UTF-8 become U+FFFD.
func object(line []byte) (map[string]any, bool) {
	if line[0] != '{' {
		return nil, false
	}
	dec := json.NewDecoder(bytes.NewReader(line))
	dec.UseNumber()
	var v map[string]any
	if err := dec.Decode(&v); err != nil || dec.More() {
		return nil, false
	}
	return v, true
}

// at is the value at a dotted path of plain names; nil where there is none.
func at(v any, path string) any {
	found, _ := value.At(v, strings.Split(path, "."))
	return found
}

// text is the value at a path if that is a text.
func text(v any, path string) string {
	s, _ := at(v, path).(string)
	return s
}

// list is the value at a path if that is a list.
func list(v any, path string) []any {
	items, _ := at(v, path).([]any)
	return items
}

// truth is the value at a path if that is a bool.
func truth(v any, path string) bool {
	b, _ := at(v, path).(bool)
	return b
}

// httpStatus is the value at a path if that is a number that can be a status.
func httpStatus(v any, path string) int {
	n, ok := at(v, path).(value.Number)
	if !ok {
		return 0
	}
	code, err := n.Int64()
	if err != nil || code < 100 || code > 599 {
		return 0
	}
	return int(code)
}
