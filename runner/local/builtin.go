package local

import (
	"github.com/brickoven/brickoven/recipes"
	"github.com/brickoven/brickoven/recipes/template/shell"
	"github.com/brickoven/brickoven/runner/interpreter"
	"github.com/brickoven/brickoven/runner/scope"
)

// usual is the shell of commands for which none is named: bash, and on Windows,
// which has none, the one that is part of this program.
func usual(sh recipes.Shell, system string) recipes.Shell {
	switch {
	case len(sh) > 0:
		return sh
	case system == "windows":
		return recipes.Shell{"builtin"}
	}
	return recipes.Shell{"bash"}
}

// loads says how a shell gets the variables that its environment cannot hold.
func loads(sh recipes.Shell, dialect shell.Dialect) scope.Shell {
	switch {
	case sh.IsBuiltin():
		return scope.InProcess
	case dialect == shell.POSIX:
		return scope.POSIX
	}
	return scope.Bash
}

// interpret makes a prepared command one that runs in this process.
func (p *prepared) interpret(script string) *prepared {
	p.program = interpreter.Program(script, p.block.Loaded)
	return p
}
