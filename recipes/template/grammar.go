package template

import (
	"fmt"
	"strings"

	"github.com/brickoven/brickoven/recipes/value"
)

// action is what stands inside one placeholder.
type action struct {
	// offset is where the placeholder begins in the source.
	offset int
	// keyword is if, range, with, else, else if, else with, end, break,
	// continue or comment; empty for a pipeline.
	keyword             string
	trimLeft, trimRight bool
	// variables are declared (declares) or assigned to the pipeline.
	variables []operand
	declares  bool
	pipe      *pipeline // nil where the keyword stands alone
}

type pipeline struct{ commands []command }

// command is a function with its arguments, or a single operand without one.
type command struct {
	function *function
	operands []operand
}

type operandKind int

const (
	constant operandKind = iota // text is Go template source
	name                        // a variable of the recipe, by path
	local                       // $x, declared in the template
	dot                         // the element of a range or with
	group                       // a pipeline in parentheses
)

// operand is one operand, and the path that follows it without a space.
type operand struct {
	kind   operandKind
	offset int
	text   string
	path   []string
	pipe   *pipeline
}

func isActionWord(word string) bool {
	switch word {
	case "if", "range", "with", "end", "else", "define", "block", "template", "break", "continue":
		return true
	}
	return false
}

// reader parses the inside of one placeholder, source[pos:end].
type reader struct {
	source   string
	pos, end int
}

func parseAction(source string, part Part) (*action, error) {
	r := &reader{source, part.Start + len(opening), part.End - len(closing)}
	a := &action{offset: part.Start, trimLeft: r.trimLeft(), trimRight: r.trimRight()}
	err := r.action(a)
	return a, err
}

func (r *reader) trimLeft() bool {
	if r.end-r.pos < 2 || r.source[r.pos] != '-' || !isSpace(r.source[r.pos+1]) {
		return false
	}
	r.pos += 2
	return true
}

func (r *reader) trimRight() bool {
	if r.end-r.pos < 2 || r.source[r.end-1] != '-' || !isSpace(r.source[r.end-2]) {
		return false
	}
	r.end -= 2
	return true
}

func (r *reader) action(a *action) error {
	r.space()
	if r.done() {
		return r.fault(r.pos, "an empty placeholder")
	}
	if text := strings.TrimRight(r.source[r.pos:r.end], " \t\r\n"); strings.HasPrefix(text, "/*") {
		a.keyword = "comment"
		if len(text) < 4 || strings.Index(text, "*/") != len(text)-2 {
			return r.fault(r.pos, "a comment must fill its placeholder")
		}
		return nil
	}
	at := r.pos
	word := r.keyword()
	switch word {
	case "end", "break", "continue":
		a.keyword = word
		return r.finish()
	case "define", "block", "template":
		return r.fault(at, fmt.Sprintf("%s is an action word: it cannot be a variable, and named templates are not supported", word))
	case "else":
		if next := r.keyword(); next == "if" || next == "with" {
			word += " " + next
		} else {
			a.keyword = word
			return r.finish()
		}
	}
	a.keyword = word
	if err := r.declaration(a); err != nil {
		return err
	}
	var err error
	if a.pipe, err = r.pipeline(); err != nil {
		return err
	}
	return r.finish()
}

// keyword reads an action word; any other text is left where it is.
func (r *reader) keyword() string {
	r.space()
	from := r.pos
	word := r.word()
	if isActionWord(word) && (r.done() || isSpace(r.source[r.pos]) || r.source[r.pos] == '(') {
		return word
	}
	r.pos = from
	return ""
}

// declaration reads "$x :=", "$x =" and, for range, "$i, $x :=".
func (r *reader) declaration(a *action) error {
	r.space()
	from := r.pos
	var variables []operand
	for r.peek() == '$' {
		at := r.pos
		r.pos++
		word := r.word()
		variables = append(variables, operand{kind: local, offset: at, text: "$" + word})
		r.space()
		if r.peek() != ',' || a.keyword != "range" || len(variables) == 2 || word == "" {
			break
		}
		r.pos++
		r.space()
	}
	rest := r.source[r.pos:r.end]
	switch {
	case len(variables) > 0 && strings.HasPrefix(rest, ":="):
		r.pos += 2
		a.declares = true
	case len(variables) > 0 && strings.HasPrefix(rest, "="):
		r.pos++
	default:
		r.pos = from
		return nil
	}
	a.variables = variables
	for _, v := range variables {
		if v.text == "$" || isDigit(v.text[1]) || strings.Contains(v.text, "-") {
			return r.fault(v.offset, "the name after $ may hold letters, digits and _")
		}
	}
	return nil
}

func (r *reader) pipeline() (*pipeline, error) {
	p := &pipeline{}
	for {
		c, err := r.command(len(p.commands) > 0)
		if err != nil {
			return nil, err
		}
		p.commands = append(p.commands, c)
		if r.peek() != '|' {
			return p, nil
		}
		r.pos++
	}
}

// command reads operands up to the end of the command and decides whether the
// first is a function: it is one where it gets an argument. A name without one
// is a variable (DESIGN section 3).
func (r *reader) command(piped bool) (command, error) {
	var operands []operand
	for r.space(); !r.done() && r.peek() != '|' && r.peek() != ')'; r.space() {
		o, err := r.operand()
		if err != nil {
			return command{}, err
		}
		operands = append(operands, o)
	}
	if len(operands) == 0 {
		return command{}, r.fault(min(r.pos, r.end), "a value is missing here")
	}
	first, arguments := operands[0], len(operands)-1
	if piped {
		arguments++
	}
	if arguments == 0 {
		return command{operands: operands}, nil
	}
	f, err := r.function(first)
	if err != nil {
		return command{}, err
	}
	if err := f.takes(arguments); err != nil {
		return command{}, r.fault(first.offset, err.Error())
	}
	return command{function: f, operands: operands[1:]}, nil
}

func (r *reader) function(o operand) (*function, error) {
	if o.kind != name || len(o.path) != 1 {
		return nil, r.fault(o.offset, "a value that is no function cannot take arguments")
	}
	called := o.path[0]
	f, ok := functions()[called]
	if !ok {
		fault := r.fault(o.offset, fmt.Sprintf("there is no function %q", called))
		if near := Nearest(called, Functions()); near != "" {
			fault.hint = "did you mean " + near + "?"
		}
		return nil, fault
	}
	return f, nil
}

// operand reads one operand with its path.
func (r *reader) operand() (operand, error) {
	at := r.pos
	o, err := r.term()
	if err != nil {
		return o, err
	}
	o.offset = at
	if o.kind != constant {
		if err := r.path(&o); err != nil {
			return o, err
		}
	}
	if !r.done() && !isSpace(r.peek()) && r.peek() != '|' && r.peek() != ')' {
		return o, r.fault(r.pos, fmt.Sprintf("%s is unexpected here", r.char()))
	}
	return o, nil
}

func (r *reader) term() (operand, error) {
	switch c := r.peek(); {
	case c == '"' || c == '`' || c == '\'':
		return r.text(c)
	case c == '-' || isDigit(c):
		return r.number()
	case c == '$':
		r.pos++
		return operand{kind: local, text: "$" + r.word()}, nil
	case c == '.':
		return operand{kind: dot}, nil
	case c == '(':
		return r.group()
	}
	from := r.pos
	word := r.word()
	switch {
	case word == "":
		return operand{}, r.fault(r.pos, fmt.Sprintf("%s is unexpected here", r.char()))
	case isActionWord(word):
		return operand{}, r.fault(from, word+" is an action word and cannot be a variable")
	case word == "true" || word == "false":
		return operand{kind: constant, text: word}, nil
	case word == "nil":
		return operand{kind: constant, text: "(_null)"}, nil
	}
	return operand{kind: name, path: []string{word}}, nil
}

func (r *reader) group() (operand, error) {
	from := r.pos
	r.pos++
	p, err := r.pipeline()
	if err != nil {
		return operand{}, err
	}
	if r.peek() != ')' {
		return operand{}, r.fault(from, "this ( is not closed")
	}
	r.pos++
	return operand{kind: group, pipe: p}, nil
}

// path reads what follows an operand without a space: .name, .0, [0], ['k'].
func (r *reader) path(o *operand) error {
	from := r.pos
	for {
		switch r.peek() {
		case '.':
			r.pos++
			if isSpace(r.peek()) || r.done() || r.peek() == '|' || r.peek() == ')' {
				if o.kind == dot && r.pos == from+1 {
					return nil
				}
				return r.fault(r.pos-1, "a name is missing after the dot")
			}
			r.word()
			continue
		case '[':
			if i := strings.IndexByte(r.source[r.pos:r.end], ']'); i > 0 {
				r.pos += r.bracket(i) + 1
				continue
			}
		}
		break
	}
	if r.pos == from {
		return nil
	}
	text := r.source[from:r.pos]
	if o.kind == dot && text[0] == '[' {
		return r.fault(from, "an index needs a name before it")
	}
	parts, ok := value.SplitPath("x" + text)
	if !ok {
		return r.fault(from, fmt.Sprintf("%q is not a path", text))
	}
	o.path = append(o.path, parts[1:]...)
	return nil
}

// bracket is the offset of the ] that closes the [ at pos; first is that of the
// first ], which may belong to a quoted key.
func (r *reader) bracket(first int) int {
	text := r.source[r.pos:r.end]
	if quote := text[1]; quote == '\'' || quote == '"' {
		if i := strings.Index(text[2:], string(quote)+"]"); i >= 0 {
			return i + 3
		}
	}
	return first
}
