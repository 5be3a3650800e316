package recipes

import (
	"encoding/json"
	"errors"
	"path/filepath"
	"strings"
	"sync"

	"github.com/brickoven/brickoven/recipes/template/shell"
	"github.com/brickoven/brickoven/recipes/value"
)

// shortRecipe is the number of steps from which on commands are compiled beside
// the conditions.
const shortRecipe = 50

// compile does what takes the whole tree: conditions, which may name variables
// of other recipes, commands, whose shell may be inherited, and schema files.
func (l *loader) compile() {
	names := append([]string(nil), l.opts.Names...)
	for _, recipe := range l.tree.All {
		recipe.eachName(func(name string) { names = append(names, name) })
	}
	for _, recipe := range l.tree.All {
		// The two know nothing of each other, and are most of the work. A second
		// thread takes longer to start than a short recipe to compile.
		var conditions, commands Findings
		var beside sync.WaitGroup
		if len(recipe.Steps) < shortRecipe {
			recipe.compileCommands(&commands)
		} else {
			beside.Go(func() { recipe.compileCommands(&commands) })
		}
		recipe.compileConditions(names, &conditions)
		beside.Wait()
		l.found = append(append(l.found, conditions...), commands...)
		for _, s := range recipe.withParts() {
			s.reads = s.findReads()
		}
		for _, s := range recipe.allSteps() {
			if s.Loop != nil && s.Loop.Contract != nil && s.Loop.Contract.file != nil {
				l.found = append(l.found, s.readContract(l.library)...)
			}
			if s.schemaFile.node != nil {
				l.found = append(l.found, s.readSchema(l.library)...)
			}
		}
	}
}

// compileCommands compiles the commands of steps and hooks for their shells.
func (r *Recipe) compileCommands(found *Findings) {
	for _, hook := range []*Command{r.Hooks.PreStep, r.Hooks.PostStep, r.Hooks.OnError} {
		if hook != nil {
			hook.compile(r.Defaults.Shell, false, found)
		}
	}
	for _, s := range r.withParts() {
		if s.Type != Bash || s.Command == nil {
			continue
		}
		interpreter := s.Shell
		if len(interpreter) == 0 {
			interpreter = r.Defaults.Shell
		}
		if interpreter.IsBuiltin() && s.Detach {
			fault := s.doc.finding(s.value("detach"), "builtin-cannot", "detach: what shell: builtin starts ends with the run")
			fault.Hint = "set shell: bash on the step"
			*found = append(*found, fault)
		}
		s.Command.compile(interpreter, s.AllowReparse, found)
	}
}

func (c *Command) compile(interpreter Shell, allowReparse bool, found *Findings) {
	dialect, isShell := interpreter.Dialect()
	if !isShell {
		if at := firstPlaceholder(c.Source); at >= 0 {
			fault := c.spot.finding(at, "placeholder-in-program", interpreter[0]+" takes no {{ }}: data would become source code")
			fault.Hint = `read the environment variable RECIPE_VAR_<name>; write \{{ for a literal {{`
			*found = append(*found, fault)
		}
		return
	}
	script, err := shell.Compile(c.Source, dialect, allowReparse)
	c.Script = script
	if err == nil {
		return
	}
	fault := commandFinding(c, err)
	fault.Warning = script != nil
	*found = append(*found, fault)
}

func commandFinding(c *Command, err error) *Finding {
	fault, ok := errors.AsType[*shell.Error](err)
	if !ok {
		return c.spot.finding(0, "shell-syntax", err.Error())
	}
	code := "shell-syntax"
	switch {
	case fault.Reparse:
		code = "reparsed-text"
	case fault.Unsupported:
		code = "builtin-cannot"
	}
	found := c.spot.finding(c.spot.offset(fault.Line, fault.Column), code, fault.Message)
	found.Hint = fault.Hint
	return found
}

// firstPlaceholder is where the first {{ that is not escaped begins; -1 without one.
func firstPlaceholder(source string) int {
	for from := 0; ; {
		i := strings.Index(source[from:], "{{")
		if i < 0 {
			return -1
		}
		if at := from + i; at == 0 || source[at-1] != '\\' {
			return at
		}
		from += i + len("{{")
	}
}

// readSchema reads the JSON Schema that the step names by path, relative to the
// recipe that the step was written in.
func (s *Step) readSchema(from library) Findings {
	fault := func(message string) Findings {
		return Findings{s.schemaFile.finding(0, "bad-schema", "output_schema: "+message)}
	}
	name := s.schemaFile.node.Value
	path := name
	if !filepath.IsAbs(name) {
		if s.doc.source.Dir == "" {
			return fault("a built-in recipe has no folder that a path could start from")
		}
		path = filepath.Join(s.doc.source.Dir, name)
	}
	data, err := from.file(path)
	if err != nil {
		return fault(err.Error())
	}
	schema, err := parseSchema(data)
	if err != nil {
		return fault(path + ": " + err.Error())
	}
	if value.Kind(schema) != "map" && value.Kind(schema) != "bool" {
		return fault(path + " holds no JSON Schema but a " + value.Kind(schema))
	}
	s.OutputSchema = schema
	return nil
}

// parseSchema reads JSON, or YAML for schemas that are written by hand.
func parseSchema(data []byte) (any, error) {
	if json.Valid(data) {
		return value.Parse(string(data))
	}
	doc, err := readDocument(Source{Path: "schema"}, data)
	if err != nil {
		return nil, err
	}
	d := &decoder{doc: doc, recipe: &Recipe{}}
	schema := d.value(doc.root)
	return schema, d.found.err()
}
