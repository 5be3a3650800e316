package shell

import (
	"strings"
)

// form is what a marker becomes.
type form int

const (
	asReference form = iota // a reference to the variable
	asInteger               // the value itself, a base-10 integer
	asName                  // the value itself, a name of the shell
	asWritten               // the placeholder's own text: a comment
)

// quoting is how the shell reads the place of a marker.
type quoting int

const (
	bare quoting = iota
	double
	single
	dollarSingle // $'…'
)

// place says what a marker becomes. prefix and suffix go around a value that
// stands in the script itself.
type place struct {
	form           form
	text           string // of a reference or of asWritten
	prefix, suffix string
	guards         guard
	layers         []layer
	inner          bool // a second shell reads the reference
}

// layer is a quoting that a text must survive to arrive at a second reader.
type layer func(string) string

func escaping(special string) layer {
	return func(text string) string {
		var out strings.Builder
		for _, r := range text {
			if strings.ContainsRune(special, r) {
				out.WriteByte('\\')
			}
			out.WriteRune(r)
		}
		return out.String()
	}
}

// layerOf is the layer of an argument that is quoted in this way.
func layerOf(q quoting) layer {
	switch q {
	case double:
		return escaping("\\$`\"")
	case single:
		return func(text string) string { return strings.ReplaceAll(text, `'`, `'\''`) }
	case dollarSingle:
		return escaping(`\'`)
	default:
		return escaping("\\\"'`$&|;<>(){}[]*?!#~=%^ \t")
	}
}

// backquotes is the layer of `…`.
func backquotes(text string) string { return escaping("\\`")(text) }

func through(text string, layers []layer) string {
	for _, l := range layers {
		text = l(text)
	}
	return text
}

// reference is the text that gives the value of a variable as one piece,
// whatever IFS, set -f and the options of shopt are.
func reference(variable string, q quoting) string {
	plain := "${" + variable + "}"
	switch q {
	case double:
		return plain
	case single:
		return `'"` + plain + `"'`
	case dollarSingle:
		return `'"` + plain + `"$'`
	default:
		return `"` + plain + `"`
	}
}

// put places a marker that stands in quoting q.
func (w *walker) put(m *marker, q quoting, at spot) {
	if m.placed {
		return
	}
	m.placed = true
	p := place{guards: at.guards, inner: w.exported}
	for range at.backquotes {
		p.layers = append(p.layers, backquotes)
	}
	p.layers = append(p.layers, w.outer[m.char]...)
	switch at.want {
	case integer:
		p.form, p.prefix, p.suffix = asInteger, "(", ")"
		if q == bare && at.shellWord {
			p.prefix, p.suffix = `"(`, `)"`
		}
		p.prefix, p.suffix = through(p.prefix, p.layers), through(p.suffix, p.layers)
	case name:
		p.form = asName
	default:
		p.text = through(reference(w.c.text.slots[m.slot].variable, q), p.layers)
	}
	m.place = p
}
