package template

import (
	"errors"
	"fmt"
	"maps"
	"strings"
	gotemplate "text/template"
)

// draft is a template while it is being parsed.
type draft struct {
	source  string
	lenient bool
	pieces  []piece
	faults  []*fault
	// blocks has the block that each opener, else and end belongs to.
	blocks map[int]*block
}

func (d *draft) template() (*Template, error) {
	if err := d.read(); err != nil {
		return nil, err
	}
	d.match()
	d.resolve()
	if len(d.faults) > 0 && !d.lenient {
		return nil, d.first().locate(d.source)
	}
	t := &Template{source: d.source, warnings: warnings(d.source, d.faults)}
	w := &writer{used: map[string]*function{}, places: [2]map[string]int{{}, {}}}
	if d.plain() {
		t.segments = w.segments(d.source, d.pieces)
	} else if err := d.compile(t, w); err != nil {
		return nil, err
	}
	d.describe(t, w.refs)
	return t, nil
}

// read scans the source and parses every placeholder by itself.
func (d *draft) read() error {
	parts, faults := scan(d.source)
	d.faults = faults
	for _, part := range parts {
		p := piece{part: part}
		if !part.Literal {
			a, err := parseAction(d.source, part)
			var f *fault
			switch {
			case errors.As(err, &f):
				d.faults = append(d.faults, f)
			case err != nil:
				return err
			default:
				p.action = a
			}
		}
		d.pieces = append(d.pieces, p)
	}
	return nil
}

func (d *draft) first() *fault {
	first := d.faults[0]
	for _, f := range d.faults {
		if f.offset < first.offset {
			first = f
		}
	}
	return first
}

// plain tells whether every placeholder is just a path, so that no engine is
// needed.
func (d *draft) plain() bool {
	for _, p := range d.pieces {
		if p.action == nil {
			continue
		}
		if _, ok := p.action.path(); !ok {
			return false
		}
	}
	return true
}

// path is the path of an action that is nothing else.
func (a *action) path() (parts []string, ok bool) {
	if a.keyword != "" || a.trimLeft || a.trimRight || len(a.variables) > 0 || len(a.pipe.commands) != 1 {
		return nil, false
	}
	c := a.pipe.commands[0]
	if c.function != nil || c.operands[0].kind != name {
		return nil, false
	}
	return c.operands[0].path, true
}

func (w *writer) segments(source string, pieces []piece) []segment {
	var all []segment
	var text strings.Builder
	flush := func() {
		if text.Len() > 0 {
			all = append(all, segment{text: text.String(), ref: -1})
			text.Reset()
		}
	}
	for _, p := range pieces {
		if p.action == nil {
			text.WriteString(p.part.text(source))
			continue
		}
		flush()
		parts, _ := p.action.path()
		ref := w.ref(parts, false)
		w.refs[ref].fallback = nil
		all = append(all, segment{ref: ref})
	}
	flush()
	return all
}

// compile hands the rewritten source to text/template.
func (d *draft) compile(t *Template, w *writer) error {
	w.pieces(d.source, d.pieces)
	funcs := gotemplate.FuncMap{}
	maps.Copy(funcs, hidden())
	for name, f := range w.used {
		funcs[name] = f.call
	}
	program, err := gotemplate.New(programName).Funcs(funcs).Parse(w.out.String())
	if err != nil {
		return &Error{Source: d.source, Offset: -1, Message: fmt.Sprintf("the template does not parse: %v", err), Hint: hintEscape, Err: err}
	}
	t.program, t.generated, t.origins = program, w.out.String(), w.origins
	return nil
}

// describe fills in what the template tells about itself.
func (d *draft) describe(t *Template, refs []ref) {
	t.refs, t.literal = refs, true
	for _, p := range d.pieces {
		if p.action == nil {
			continue
		}
		t.literal = false
		if p.action.keyword != "" && p.action.keyword != "comment" || len(p.action.variables) > 0 {
			t.control = true
		}
	}
	t.single = len(t.segments) == 1 && t.segments[0].ref == 0
	for _, r := range refs {
		t.names = append(t.names, r.parts[0])
		t.paths = append(t.paths, r.path)
		if !r.optional && r.fallback == nil {
			t.needed = append(t.needed, r.path)
		}
	}
	t.names, t.paths, t.needed = sortedUnique(t.names), sortedUnique(t.paths), sortedUnique(t.needed)
}
