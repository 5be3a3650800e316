// Package shell puts the {{ }} placeholders of shell commands in place so that
// data never becomes shell source (DESIGN section 3, "In shell commands").
package shell

import "github.com/brickoven/brickoven/recipes/template"

// Dialect is the language that a command is parsed in.
type Dialect int

// The dialects. Other interpreters (python3, node) take no placeholders at all.
const (
	Bash Dialect = iota
	POSIX
)

// Command is a parsed command. It is immutable and safe for concurrent use.
type Command struct{ source string }

// Error is a command that cannot be run safely or does not parse.
type Error struct {
	Source       string
	Line, Column int // within Source, from 1; 0 when unknown
	Message      string
	Hint         string
	// Reparse tells that a second shell would parse the text; the step may
	// allow it with allow_reparse: true.
	Reparse bool
}

func (e *Error) Error() string { return e.Message }

// Compile parses source once. allowReparse lets placeholders into text that a
// second shell parses out of our sight.
//
// A source that does not parse gives a Command and an error if it holds no
// placeholder (running it is up to the shell), and only an error otherwise.
func Compile(source string, dialect Dialect, allowReparse bool) (*Command, error) {
	return &Command{source}, nil
}

// Source is the text the command was compiled from.
func (c *Command) Source() string { return c.source }

// Names lists the root names of the placeholders, sorted, each once.
func (c *Command) Names() []string { return nil }

// Paths lists the dotted paths of the placeholders, sorted, each once.
func (c *Command) Paths() []string { return nil }

// Mentions lists the names of environment variables that the command's text
// reads by itself, such as LOOP_EVIDENCE and RECIPE_VAR_loop_evidence in the
// dual-name idiom, sorted, each once. It is a superset: a name that only
// occurs in a string is listed too.
func (c *Command) Mentions() []string { return nil }

// Bound is a command with its placeholders in place.
type Bound struct {
	// Script is the text for the shell.
	Script string
	// Vars holds what Script refers to: the name of a shell variable
	// (RECIPE_VAR_x, or one of a pipeline) and its text, byte for byte.
	Vars map[string]string
	// Unknown lists the paths that were not found; they are empty.
	Unknown []template.Unknown
}

// Bind puts the values in place. The error is an [*Error] and means that the
// step fails before a shell starts: a value in arithmetic that is no integer,
// a value that is no name where the shell wants one.
func (c *Command) Bind(lookup template.Lookup) (*Bound, error) {
	return &Bound{Script: c.source}, nil
}
