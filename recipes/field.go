package recipes

import (
	"strings"

	"github.com/brickoven/brickoven/recipes/expression"
	"github.com/brickoven/brickoven/recipes/template"
	"github.com/brickoven/brickoven/recipes/value/pattern"
)

// field is a place of the document that reads variables.
type field struct {
	key      string
	spot     spot
	template *template.Template
	command  *Command
	// program is where a condition, or another expression, goes once all names
	// are known and it is compiled.
	program   **expression.Program
	condition *expression.Program
}

// paths lists what the field reads.
func (f *field) paths() []string {
	switch {
	case f.condition != nil:
		return f.condition.Paths()
	case f.template != nil:
		return f.template.Paths()
	case f.command != nil && f.command.Script != nil:
		return f.command.Script.Paths()
	}
	return nil
}

// find is the offset of a name in the field's text, as a whole word.
func (f *field) find(name string) int {
	if f.spot.node == nil {
		return 0
	}
	text := f.spot.node.Value
	for from := 0; ; {
		i := strings.Index(text[from:], name)
		if i < 0 {
			return max(strings.Index(text, name), 0)
		}
		at := from + i
		end := at + len(name)
		if (at == 0 || !isWordByte(text[at-1])) && (end == len(text) || !isWordByte(text[end])) && f.inPlaceholder(at) {
			return at
		}
		from = end
	}
}

// inPlaceholder tells whether the offset lies between {{ and }}, where the
// field is one with placeholders.
func (f *field) inPlaceholder(at int) bool {
	if f.template == nil {
		return true
	}
	before := f.spot.node.Value[:at]
	return strings.LastIndex(before, "{{") > strings.LastIndex(before, "}}")
}

func isWordByte(c byte) bool {
	return c == '_' || c == '-' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

var (
	guardWord = pattern.Pattern{Source: `\b(default|coalesce|empty|if|with|ternary)\b`}
	braces    = pattern.Pattern{Source: `(?s)\{\{.*?\}\}`}
)

// guarded tells whether the author wrote what happens without the name.
func (f *field) guarded(name string) bool {
	if f.condition != nil || f.spot.node == nil {
		return false
	}
	for _, text := range braces.Get().FindAllString(f.spot.node.Value, -1) {
		if strings.Contains(text, name) && guardWord.Get().MatchString(text) {
			return true
		}
	}
	return false
}
