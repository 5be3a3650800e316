package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/brickoven/brickoven/recipes"
	"github.com/brickoven/brickoven/recipes/value"
	"github.com/spf13/pflag"
)

// variables are the flags that set variables, kept in the order in which they
// were written, so that a later one wins over an earlier one whatever its kind.
type variables struct {
	given []assignmentFlag
}

type assignmentFlag struct{ kind, text string }

// The kinds of assignment.
const (
	setGuess  = "set"
	setString = "set-string"
	setFile   = "set-file"
	setMap    = "context-file"
)

// kindFlag is one of the flags; pflag calls Set for each occurrence.
type kindFlag struct {
	kind string
	into *variables
}

func (f kindFlag) Set(text string) error {
	f.into.given = append(f.into.given, assignmentFlag{f.kind, text})
	return nil
}

func (f kindFlag) String() string { return "" }

func (f kindFlag) Type() string {
	if f.kind == setMap {
		return "file"
	}
	return "name=value"
}

func (v *variables) flags(flags *pflag.FlagSet) {
	flags.Var(kindFlag{setGuess, v}, "set", "set a variable; JSON, numbers and bools are read as such (repeatable)")
	flags.VarP(kindFlag{setGuess, v}, "context", "c", "the same as --set")
	flags.Var(kindFlag{setString, v}, "set-string", "set a variable to a text, whatever it looks like (repeatable)")
	flags.Var(kindFlag{setFile, v}, "set-file", "set a variable to the content of a file (repeatable)")
	flags.Var(kindFlag{setMap, v}, "context-file", "set variables from a YAML or JSON map (repeatable)")
}

// readVariables gives what the flags set, the last of each name.
func (a *app) readVariables(v *variables) ([]recipes.Variable, error) {
	var list []recipes.Variable
	for _, given := range v.given {
		if given.kind == setMap {
			vars, err := a.readContextFile(given.text)
			if err != nil {
				return nil, err
			}
			list = append(list, vars...)
			continue
		}
		name, text, ok := strings.Cut(given.text, "=")
		if !ok || !value.IsName(name) {
			return nil, fmt.Errorf("--%s %q: want NAME=VALUE, with a name of letters, digits, _ and -", given.kind, given.text)
		}
		val, err := readAssignment(given.kind, name, text)
		if err != nil {
			return nil, err
		}
		list = append(list, recipes.Variable{Name: name, Value: val})
	}
	return list, nil
}

func readAssignment(kind, name, text string) (any, error) {
	switch kind {
	case setString:
		return cleaned(text), nil
	case setFile:
		data, err := os.ReadFile(text)
		if err != nil {
			return nil, fmt.Errorf("--set-file %s: %w", name, err)
		}
		return cleaned(string(data)), nil
	}
	return value.Assigned(cleaned(text)), nil
}

func cleaned(text string) string {
	clean, _ := value.Clean(text)
	return clean
}

func (a *app) readContextFile(path string) ([]recipes.Variable, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("--context-file: %w", err)
	}
	vars, err := recipes.ParseContext(path, data)
	if err != nil {
		return nil, fmt.Errorf("--context-file: %w", err)
	}
	return vars, nil
}

func names(vars []recipes.Variable) []string {
	list := make([]string, len(vars))
	for i, v := range vars {
		list[i] = v.Name
	}
	return list
}
