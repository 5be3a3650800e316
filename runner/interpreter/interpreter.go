// Package interpreter runs shell commands within this process: shell: builtin.
// The language is the part of bash that mvdan.cc/sh interprets, which is the
// same on every system. What it does not have is refused before anything runs,
// by [shell.Portable]; programs that a command starts go through
// runner/process like any other.
package interpreter

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/brickoven/brickoven/recipes/template/shell"
	"github.com/brickoven/brickoven/runner/process"
	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/interp"
	"mvdan.cc/sh/v3/syntax"
)

// codeSyntax is the exit code of bash for a command that does not parse.
const codeSyntax = 2

// Program interprets a script. unexported are variables that the script has and
// the programs that it starts do not get. The code is 2, with a message on
// standard error, for a script that does not parse or uses what the interpreter
// does not have; it is 1 for one that takes too much memory or calls itself
// without end.
func Program(script string, unexported map[string]string) process.Program {
	return program(script, unexported, maxMemory)
}

func program(script string, unexported map[string]string, memory uint64) process.Program {
	return func(ctx context.Context, in *process.Inside) (int, error) {
		file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(script), "")
		if err != nil {
			fmt.Fprintf(in.Stderr, "builtin: %v\n", err)
			return codeSyntax, nil
		}
		if lacks := shell.Portable(script, file); len(lacks) > 0 {
			fmt.Fprintf(in.Stderr, "builtin: line %d: %s\n", lacks[0].Line, lacks[0].Message)
			return codeSyntax, nil
		}
		compareTexts(file)
		if runsBeside(file) {
			in.Linger()
		}
		ctx, stop := context.WithCancelCause(ctx)
		s := &session{in: in, stop: stop, memory: memory}
		defer s.watchMemory()()
		stdin, closeStdin, err := input(in.Stdin)
		if err != nil {
			return 0, err
		}
		defer closeStdin()
		runner, err := interp.New(
			interp.Dir(in.Dir), interp.Env(environment(in.Env, unexported)), interp.StdIO(stdin, in.Stdout, in.Stderr),
			interp.CallHandler(s.call), interp.OpenHandler(open), interp.ExecHandlers(func(interp.ExecHandlerFunc) interp.ExecHandlerFunc { return s.exec }),
		)
		if err != nil {
			return 0, err
		}
		return s.code(ctx, runner.Run(ctx, file))
	}
}

// session is one run of a script.
type session struct {
	in     *process.Inside
	stop   context.CancelCauseFunc
	memory uint64 // in bytes, what the script may take
	calls  counter
}

// code is the exit code of a script that has ended.
func (s *session) code(ctx context.Context, err error) (int, error) {
	var status interp.ExitStatus
	var excess *excessError
	switch {
	case err == nil:
		return 0, nil
	case errors.As(context.Cause(ctx), &excess):
		fmt.Fprintf(s.in.Stderr, "builtin: %v\n", excess)
		return 1, nil
	case errors.As(err, &status):
		return int(status), nil
	case ctx.Err() != nil:
		return 1, nil
	}
	return 0, err
}

// runsBeside tells whether a script can have jobs in the background. What eval
// and the files of source hold is not known.
func runsBeside(file *syntax.File) bool {
	found := false
	syntax.Walk(file, func(node syntax.Node) bool {
		switch n := node.(type) {
		case *syntax.Stmt:
			found = found || n.Background
		case *syntax.CallExpr:
			found = found || len(n.Args) > 0 && slices.Contains(hiding, n.Args[0].Lit())
		}
		return !found
	})
	return found
}

// hiding are the words that run what the script does not show; the empty one
// stands for a word that is made while the script runs.
var hiding = []string{"", "eval", ".", "source", "command", "builtin", "trap", "alias"}

// environment is what a script starts with.
func environment(env []string, unexported map[string]string) expand.Environ {
	list := expand.ListEnviron(env...)
	if len(unexported) == 0 {
		return list
	}
	return &layered{list, unexported}
}

// layered has unexported variables over an environment.
type layered struct {
	expand.Environ
	over map[string]string
}

// Get gives a variable.
func (l *layered) Get(name string) expand.Variable {
	if text, ok := l.over[name]; ok {
		return expand.Variable{Set: true, Kind: expand.String, Str: text}
	}
	return l.Environ.Get(name)
}

// Each gives all variables, each once.
func (l *layered) Each(each func(name string, v expand.Variable) bool) {
	for name := range l.over {
		if !each(name, l.Get(name)) {
			return
		}
	}
	l.Environ.Each(func(name string, v expand.Variable) bool {
		_, hidden := l.over[name]
		return hidden || each(name, v)
	})
}
