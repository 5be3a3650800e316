package shell

import (
	"slices"
	"strconv"
	"strings"

	"github.com/brickoven/brickoven/recipes/template"
	"github.com/brickoven/brickoven/recipes/value"
)

// slot is one distinct placeholder text of a command, and the variable that
// carries its value.
type slot struct {
	variable string
	path     string
	root     string // empty for a pipeline
	start    int    // of the first placeholder, in the source
	template *template.Template
	// referenced tells that the script refers to the variable, exported that a
	// second shell does.
	referenced, exported bool
}

// marker is one occurrence of a placeholder.
type marker struct {
	slot   int
	char   rune
	start  int // in the source, as is length
	length int
	at     int    // in the marked text
	quoted string // the placeholder as it was written, on one line
	place  place
	placed bool
}

// text is a source with markers instead of placeholders.
type text struct {
	source string
	marked string
	slots  []slot
	marks  []*marker
	byChar map[rune]*marker
	spare  rune // stands for an expansion within the text of a second shell
}

const (
	firstMarker = 0x100000 // the private use plane 16
	lastMarker  = 0x10FFFD
)

// mark replaces the placeholders of source by runes that do not occur in it.
func mark(source string) (*text, error) {
	parts, err := scan(source)
	if err != nil {
		return nil, err
	}
	t := &text{source: source, byChar: map[rune]*marker{}}
	chars := privateChars(source)
	if t.spare, err = t.nextChar(chars, 0); err != nil {
		return nil, err
	}
	taken := map[string]int{}
	var out strings.Builder
	for _, part := range parts {
		if part.Literal {
			out.WriteString(part.Text)
			continue
		}
		m := &marker{start: part.Start, length: part.End - part.Start, at: out.Len()}
		m.quoted = strings.Join(strings.Fields(source[part.Start:part.End]), " ")
		if m.char, err = t.nextChar(chars, part.Start); err != nil {
			return nil, err
		}
		if m.slot, err = t.slotFor(part, taken); err != nil {
			return nil, err
		}
		t.marks = append(t.marks, m)
		t.byChar[m.char] = m
		out.WriteRune(m.char)
	}
	t.marked = out.String()
	return t, nil
}

// scan is [template.Scan] with the one rule that shells add: a backslash that
// is itself escaped does not escape the braces after it.
func scan(source string) ([]template.Part, error) {
	var parts []template.Part
	for base := 0; ; {
		more, err := template.Scan(source[base:])
		if err != nil {
			return nil, templateError(source, base, err)
		}
		again := false
		for _, part := range more {
			part.Start, part.End = part.Start+base, part.End+base
			escape := part.Literal && strings.HasPrefix(source[part.Start:part.End], `\{{`)
			before := source[:part.Start]
			if escape && part.Text == "{{" && (len(before)-len(strings.TrimRight(before, `\`)))%2 == 1 {
				base, again = part.Start+1, true
				parts = append(parts, template.Part{Start: part.Start, End: base, Literal: true, Text: `\`})
				break
			}
			parts = append(parts, part)
		}
		if !again {
			return parts, nil
		}
	}
}

// privateChars gives private characters that source does not hold; 0 when
// there are no more.
func privateChars(source string) func() rune {
	next := rune(firstMarker - 1)
	return func() rune {
		for next++; next <= lastMarker; next++ {
			if !strings.ContainsRune(source, next) {
				return next
			}
		}
		return 0
	}
}

func (t *text) nextChar(chars func() rune, start int) (rune, error) {
	char := chars()
	if char == 0 {
		return 0, t.errorAt(&marker{start: start}, "the command holds too many placeholders", "", nil)
	}
	return char, nil
}

// slotFor finds or makes the slot of a placeholder.
func (t *text) slotFor(part template.Part, taken map[string]int) (int, error) {
	key := strings.TrimSpace(part.Inner)
	if i, ok := taken[key]; ok {
		return i, nil
	}
	parsed, err := template.Parse("{{"+part.Inner+"}}", template.Options{})
	if err != nil {
		return 0, templateError(t.source, part.Start, err)
	}
	if parsed.HasControl() {
		return 0, templateError(t.source, part.Start, &template.Error{
			Message: "control actions are not allowed in commands",
			Hint:    "use the shell's own if and for, or a condition on the step",
		})
	}
	s := slot{template: parsed, start: part.Start}
	path, plain := parsed.Path()
	if plain {
		s.path = path
		if parts, ok := value.SplitPath(path); ok {
			s.root = parts[0]
			s.variable = variableName(parts)
		}
	}
	if s.variable == "" || t.usesVariable(s.variable) {
		s.variable = t.freshVariable()
	}
	t.slots = append(t.slots, s)
	taken[key] = len(t.slots) - 1
	return len(t.slots) - 1, nil
}

// variableName is the name of DESIGN section 6, or empty for a path through a
// list or through keys that a name cannot hold.
func variableName(parts []string) string {
	for _, part := range parts {
		if !value.IsName(part) {
			return ""
		}
	}
	return "RECIPE_VAR_" + strings.ReplaceAll(strings.Join(parts, "__"), "-", "_")
}

func (t *text) usesVariable(name string) bool {
	return slices.ContainsFunc(t.slots, func(s slot) bool { return s.variable == name })
}

// freshVariable gives a name that no variable of an author can have: those
// begin with RECIPE_VAR_ or hold capital letters only.
func (t *text) freshVariable() string {
	for n := 1; ; n++ {
		name := "RECIPE_EXPR_v" + strconv.Itoa(n)
		if !t.usesVariable(name) && !strings.Contains(t.source, name) {
			return name
		}
	}
}

func (t *text) names() []string {
	var all []string
	for _, s := range t.slots {
		all = append(all, s.template.Names()...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

func (t *text) paths() []string {
	var all []string
	for _, s := range t.slots {
		all = append(all, s.template.Paths()...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// marksIn lists the markers of a text in their order.
func (t *text) marksIn(s string) []*marker {
	var found []*marker
	for _, r := range s {
		if r >= firstMarker {
			if m := t.byChar[r]; m != nil {
				found = append(found, m)
			}
		}
	}
	return found
}
