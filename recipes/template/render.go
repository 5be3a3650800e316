package template

import (
	"errors"
	"fmt"
	"slices"
	"sort"
	"strings"
	gotemplate "text/template"

	"github.com/brickoven/brickoven/recipes/value"
)

// MaxRendered bounds the bytes of a rendered text, and of every text that a
// function makes on the way to it.
const MaxRendered = 64 << 20

// maxRounds bounds how often range goes around in one rendering.
const maxRounds = 100_000

const programName = "t"

// Render returns the text. Values are opaque: braces that came from a value are
// never rendered again. The error is an [*Error].
func (t *Template) Render(lookup Lookup) (text string, unknown []Unknown, err error) {
	f := newFrame(t, lookup)
	out := &limited{}
	if t.program != nil {
		err = t.program.Execute(out, f)
	} else {
		err = t.concatenate(out, f)
	}
	if err != nil {
		return "", f.unknown, t.failure(err)
	}
	return out.text.String(), f.unknown, nil
}

func (t *Template) concatenate(out *limited, f *frame) error {
	out.text.Grow(len(t.source))
	for _, s := range t.segments {
		text := s.text
		if s.ref >= 0 {
			v, _ := f.find(&t.refs[s.ref])
			text = value.Text(shallow(v))
		}
		if out.text.Len()+len(text) > MaxRendered {
			return errTooLong
		}
		out.text.WriteString(text)
	}
	return nil
}

var errTooLong = fmt.Errorf("the rendered text would be longer than %d bytes", MaxRendered)

// limited collects text up to MaxRendered bytes.
type limited struct{ text strings.Builder }

func (l *limited) Write(p []byte) (int, error) {
	if l.text.Len()+len(p) > MaxRendered {
		return 0, errTooLong
	}
	return l.text.Write(p)
}

// frame is one rendering: the $ of the generated template.
type frame struct {
	t       *Template
	lookup  Lookup
	rounds  int
	unknown []Unknown
	seen    map[string]bool
}

func newFrame(t *Template, lookup Lookup) *frame { return &frame{t: t, lookup: lookup} }

// find looks a path up and notes it when it is not there.
func (f *frame) find(r *ref) (v any, found bool) {
	root, found := f.lookup(r.parts[0])
	if found {
		if v, found = value.At(root, r.parts[1:]); found {
			return v, true
		}
	} else if r.fallback != nil {
		return nil, false
	}
	if !r.optional && !f.seen[r.path] {
		if f.seen == nil {
			f.seen = make(map[string]bool)
		}
		f.seen[r.path] = true
		f.unknown = append(f.unknown, Unknown{Path: r.path, Nearest: f.nearest(r, root, found)})
	}
	return nil, false
}

// nearest offers a known name for the part of the path that leads nowhere.
func (f *frame) nearest(r *ref, root any, found bool) string {
	if v, ok := f.lookup(r.parts[0]); ok {
		root, found = v, true
	}
	if !found {
		if f.t.known == nil {
			return ""
		}
		near := Nearest(r.parts[0], f.t.known())
		if near == "" {
			return ""
		}
		return joinPath(append([]string{near}, r.parts[1:]...))
	}
	parts := slices.Clone(r.parts)
	for i := 1; i < len(parts); i++ {
		next, ok := value.At(root, parts[i:i+1])
		if ok {
			root = next
			continue
		}
		container, isMap := root.(map[string]any)
		if !isMap {
			return ""
		}
		near := Nearest(parts[i], sortedKeys(container))
		if near == "" {
			return ""
		}
		parts[i] = near
		return joinPath(parts)
	}
	return ""
}

// hidden are the functions that only generated source calls; no name of a
// recipe reaches it unrewritten, so none can mean one of these.
func hidden() gotemplate.FuncMap {
	return gotemplate.FuncMap{
		"_var": func(f *frame, n int) (any, error) {
			r := &f.t.refs[n]
			v, found := f.find(r)
			if !found && r.fallback != nil {
				return r.fallback.call()
			}
			return shallow(v), nil
		},
		"_at": func(v any, parts ...string) any {
			item, _ := value.At(v, parts)
			return item
		},
		"_null":   func() any { return nil },
		"_number": func(text string) any { return value.Number(text) },
		"_value":  shallow,
		"_text":   func(v any) (string, error) { return printed(shallow(v)) },
		"_kept":   kept,
		"_items":  items,
		"_tick": func(f *frame) (string, error) {
			if f.rounds++; f.rounds > maxRounds {
				return "", fmt.Errorf("range goes around more than %d times", maxRounds)
			}
			return "", nil
		},
	}
}

// kept gives a value whose truth for text/template is ours: a number that is 0
// is text to Go, and so would be true.
func kept(v any) any {
	v = shallow(v)
	if _, isNumber := v.(value.Number); isNumber && !value.Truth(v) {
		return 0
	}
	return v
}

// items is what range goes over: nothing for null, a list, a map in the order
// of its keys, or the whole numbers from 0 up to a number.
func items(v any) (any, error) {
	switch v := shallow(v).(type) {
	case nil:
		return []any{}, nil
	case []any, map[string]any:
		return v, nil
	case value.Number:
		n, err := number(v)
		if err != nil || n.Sign() < 0 {
			return []any{}, err
		}
		return series(nil, v, nil)
	default:
		return nil, fmt.Errorf("range needs a list or a map, not a %s", value.Kind(v))
	}
}

// failure turns an error of the engine into ours, at the placeholder it came
// from.
func (t *Template) failure(err error) *Error {
	offset := t.authored(err)
	failed := &Error{Source: t.source, Offset: -1, Message: err.Error(), Err: err}
	if offset >= 0 {
		failed = (&fault{offset: offset}).locate(t.source)
		failed.Hint, failed.Err = "", err
	}
	var exec gotemplate.ExecError
	failed.Message = err.Error()
	if errors.As(err, &exec) {
		failed.Message = exec.Err.Error()
		if i := strings.Index(failed.Message, ">: "); i >= 0 {
			failed.Message = failed.Message[i+len(">: "):]
		}
		if rest, hidden := strings.CutPrefix(failed.Message, "error calling _"); hidden {
			_, failed.Message, _ = strings.Cut(rest, ": ")
		}
	}
	var called *callError
	if errors.As(err, &called) {
		failed.Message, failed.Err = called.Error(), called.err
	}
	return failed
}

// authored finds the placeholder that an error of the engine is about.
func (t *Template) authored(err error) int {
	var line, column int
	if n, _ := fmt.Sscanf(err.Error(), "template: "+programName+":%d:%d:", &line, &column); n != 2 {
		return -1
	}
	offset := 0
	for range line - 1 {
		offset += strings.IndexByte(t.generated[offset:], '\n') + 1
	}
	offset += column
	i := sort.Search(len(t.origins), func(i int) bool { return t.origins[i].generated > offset }) - 1
	if i < 0 {
		return -1
	}
	return t.origins[i].authored
}
