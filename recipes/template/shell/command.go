// Package shell puts the {{ }} placeholders of shell commands in place so that
// data never becomes shell source (DESIGN section 3, "In shell commands").
//
// A command is parsed once, with every placeholder as a marker. Each marker is
// replaced according to where it stands in the syntax tree: by a quoted
// reference to a variable of the environment, by an integer, or by a name.
// Nothing else of a value ever reaches the text of the script, whatever its
// bytes are. A place that the package does not know is refused.
package shell

import (
	"slices"

	"github.com/brickoven/brickoven/recipes/template"
)

// Dialect is the language that a command is parsed in.
type Dialect int

// The dialects. Other interpreters (python3, node) take no placeholders at all.
const (
	Bash Dialect = iota
	POSIX
	// Builtin is what of bash the built-in interpreter has, see [Portable].
	Builtin
)

// Command is a parsed command. It is immutable and safe for concurrent use.
type Command struct {
	source   string
	slots    []slot
	segments []segment
	names    []string
	paths    []string
	mentions []string
	notes    []Note
}

// Error is a command that cannot be run safely or does not parse.
type Error struct {
	Source       string
	Line, Column int // within Source, from 1, the column in characters; 0 when unknown
	Message      string
	Hint         string
	// Reparse tells that a second shell would parse the text; the step may
	// allow it with allow_reparse: true.
	Reparse bool
	// Unsupported tells that the built-in interpreter does not have what the
	// command uses.
	Unsupported bool
	// Err is the cause, such as a [template.Error] or an error of the shell
	// parser; nil when the rules of this package are the cause.
	Err error
}

func (e *Error) Error() string { return e.Message }

func (e *Error) Unwrap() error { return e.Err }

// Compile parses source once. allowReparse lets placeholders into text that a
// second shell parses out of our sight.
//
// A source that does not parse gives a Command and an error if it holds no
// placeholder (running it is up to the shell), and only an error otherwise.
// The error is an [*Error].
func Compile(source string, dialect Dialect, allowReparse bool) (*Command, error) {
	marked, err := mark(source)
	if err != nil {
		return nil, err
	}
	c := &compiler{text: marked, dialect: dialect, allowReparse: allowReparse}
	tree, err := c.parse(marked.marked)
	if err != nil {
		if len(marked.marks) > 0 {
			return nil, c.syntaxError(err)
		}
		plain := &Command{source: source, segments: []segment{{text: marked.marked}}}
		plain.mentions = mentions(marked.marked, nil)
		return plain, c.syntaxError(err)
	}
	if len(marked.marks) > 0 {
		c.place(tree)
		if c.err != nil {
			return nil, c.err
		}
	}
	if dialect == Builtin {
		if err := c.portable(tree); err != nil {
			return nil, err
		}
	}
	return &Command{
		source:   source,
		slots:    marked.slots,
		segments: c.segments(),
		names:    marked.names(),
		paths:    marked.paths(),
		mentions: mentions(marked.marked, tree),
		notes:    c.notes,
	}, nil
}

// Source is the text the command was compiled from.
func (c *Command) Source() string { return c.source }

// Names lists the root names of the placeholders, sorted, each once.
func (c *Command) Names() []string { return slices.Clone(c.names) }

// Paths lists the dotted paths of the placeholders, sorted, each once.
func (c *Command) Paths() []string { return slices.Clone(c.paths) }

// Mentions lists the names of environment variables that the command's text
// reads by itself, such as LOOP_EVIDENCE and RECIPE_VAR_loop_evidence in the
// dual-name idiom, sorted, each once. It is a superset: a name that only
// occurs in a string is listed too.
func (c *Command) Mentions() []string { return slices.Clone(c.mentions) }

// Notes lists remarks for validate, in the order of the text.
func (c *Command) Notes() []Note { return slices.Clone(c.notes) }

// Bound is a command with its placeholders in place.
type Bound struct {
	// Script is the text for the shell.
	Script string
	// Vars holds what Script refers to: the name of a shell variable
	// (RECIPE_VAR_x, or RECIPE_EXPR_v1 and so on for a pipeline or a path that
	// has no such name) and its text, byte for byte. Placeholders whose value
	// stands in Script itself are left out.
	Vars map[string]string
	// Roots names, for a key of Vars, the variable of the recipe that it is
	// taken from. Pipelines have no entry.
	Roots map[string]string
	// Exported lists the keys of Vars that a second shell (bash -c and alike)
	// reads, sorted: they must be in the environment, a variable of the
	// outer shell alone does not do.
	Exported []string
	// Unknown lists the paths that were not found; they are empty.
	Unknown []template.Unknown
}
