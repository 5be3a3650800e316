package shell

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/brickoven/brickoven/recipes/template"
	"github.com/brickoven/brickoven/recipes/value"
)

// segment is a stretch of the script: fixed text, or with a marker the text of
// its value.
type segment struct {
	text string
	mark *marker // of the forms asInteger and asName, or guarded
}

// edit replaces a stretch of the marked text.
type edit struct {
	start, end int
	text       string
}

// segments joins everything that is the same for all values.
func (c *compiler) segments() []segment {
	edits := slices.Clone(c.edits)
	for _, m := range c.text.marks {
		edits = append(edits, edit{start: m.at, end: m.at + len(string(m.char))})
	}
	slices.SortFunc(edits, func(a, b edit) int { return a.start - b.start })
	byOffset := map[int]*marker{}
	for _, m := range c.text.marks {
		byOffset[m.at] = m
	}
	var out []segment
	var fixed strings.Builder
	from := 0
	for _, e := range edits {
		fixed.WriteString(c.text.marked[from:e.start])
		from = e.end
		m := byOffset[e.start]
		if m == nil {
			fixed.WriteString(e.text)
			continue
		}
		fixed.WriteString(m.place.text)
		if m.place.form == asReference && m.place.guards == 0 || m.place.form == asWritten {
			continue
		}
		out = append(out, segment{text: fixed.String(), mark: m})
		fixed.Reset()
	}
	fixed.WriteString(c.text.marked[from:])
	return append(out, segment{text: fixed.String()})
}

// Bind puts the values in place. The error is an [*Error] and means that the
// step fails before a shell starts: a value in arithmetic that is no integer,
// a value that is no name where the shell wants one, a value that would be
// evaluated in its place.
//
// NUL bytes, which no variable can hold, are dropped, and bytes that are not
// UTF-8 become U+FFFD (DESIGN section 6).
func (c *Command) Bind(lookup template.Lookup) (*Bound, error) {
	b := &Bound{Vars: make(map[string]string, len(c.slots)), Roots: make(map[string]string, len(c.slots))}
	texts := make([]string, len(c.slots))
	for i := range c.slots {
		s := &c.slots[i]
		v, unknown, err := s.template.Value(lookup)
		if err != nil {
			return nil, c.valueError(s, err)
		}
		texts[i], _ = value.Clean(value.Text(v))
		b.Unknown = append(b.Unknown, unknown...)
		if !s.referenced {
			continue
		}
		b.Vars[s.variable] = texts[i]
		if s.root != "" {
			b.Roots[s.variable] = s.root
		}
		if s.exported {
			b.Exported = append(b.Exported, s.variable)
		}
	}
	slices.Sort(b.Exported)
	var script strings.Builder
	for _, seg := range c.segments {
		script.WriteString(seg.text)
		if seg.mark == nil {
			continue
		}
		inline, err := c.inline(seg.mark, texts[seg.mark.slot])
		if err != nil {
			return nil, err
		}
		script.WriteString(inline)
	}
	b.Script = script.String()
	return b, nil
}

// inline is what of a value stands in the script itself.
func (c *Command) inline(m *marker, text string) (string, error) {
	switch m.place.form {
	case asInteger:
		digits, ok := integerText(text)
		if !ok {
			return "", c.refuse(m, text, "is no integer, and the shell would evaluate it as arithmetic")
		}
		return m.place.prefix + digits + m.place.suffix, nil
	case asName:
		if !isName(text, m.place.guards&nameStart != 0) {
			return "", c.refuse(m, text, "is no name of a shell variable")
		}
		return text, nil
	default:
		if why := m.place.guards.violation(text); why != "" {
			return "", c.refuse(m, text, why)
		}
		return "", nil
	}
}

// maxShown is the size in bytes up to which an error shows a value.
const maxShown = 40

func (c *Command) refuse(m *marker, text, why string) error {
	line, column := position(c.source, m.start)
	// A part of a longer text could be a part of a secret that no masker knows.
	shown := value.JSON(text)
	if len(text) > maxShown {
		shown = "of " + strconv.Itoa(len(text)) + " bytes"
	}
	return &Error{
		Source: c.source, Line: line, Column: column,
		Message: m.quoted + ": the value " + shown + " " + why,
	}
}

func (c *Command) valueError(s *slot, err error) error {
	out := &Error{Source: c.source, Message: err.Error(), Err: err}
	out.Line, out.Column = position(c.source, s.start)
	var inner *template.Error
	if errors.As(err, &inner) {
		out.Message, out.Hint = inner.Message, inner.Hint
	}
	return out
}
