package bricks

import (
	"context"
	"io/fs"

	"github.com/brickoven/brickoven/bricks/ledger"
	"github.com/brickoven/brickoven/recipes/value"
)

// Native is a function that a step runs in process with uses: NAME. Its
// standard output goes through the same capture as a shell step's. An error
// means that the function could not do its work; a verdict that fails the step
// is an exit code. Natives are safe for concurrent use.
type Native func(ctx context.Context, call Call) (Result, error)

// Call is what a native function works from.
type Call struct {
	// Inputs are the variables that the step sees, as values of the package
	// recipes/value; none of them is a reference. The map is not changed.
	Inputs map[string]any
	// Git runs git in a folder and returns its standard output. The folder is
	// relative to the step's working directory unless it is absolute. A
	// non-zero exit is an error whose text holds git's message; git runs with
	// LC_ALL=C and without a terminal.
	Git func(dir string, args ...string) (stdout string, err error)
	// Files opens a folder, with the same meaning of dir, as a file system that
	// knows symbolic links, as os.DirFS does.
	Files func(dir string) fs.FS
}

// Result is what a native function leaves behind.
type Result struct {
	Stdout   string
	Stderr   string
	ExitCode int
}

// Natives lists the functions for uses: by name.
func Natives() map[string]Native {
	return map[string]Native{
		"collect-loop-evidence": collectLoopEvidence,
		"resolve-loop-verdict":  resolveLoopVerdict,
		"enforce-loop-verdict":  enforceLoopVerdict,
		"critic-brief":          printed(ledger.BriefFunction),
		"critic-verdict":        printed(ledger.VerdictFunction),
		"evaluation-record":     printed(recordEvaluation),
		"evaluation-decide":     printed(decideEvaluation),
		"evaluation-best":       bestEvaluation,
		"evaluation-enforce":    enforceEvaluation,
		"loop-score":            scoreLoop,
		"loop-score-enforce":    enforceLoopScore,
	}
}

// printed makes a native function of one that goes from variables to a value,
// which is printed as one JSON document.
func printed(fn func(in map[string]any) (any, error)) Native {
	return func(_ context.Context, call Call) (Result, error) {
		v, err := fn(call.Inputs)
		if err != nil {
			return Result{}, err
		}
		return Result{Stdout: value.JSON(v) + "\n"}, nil
	}
}

// Agents lists the agents that are built in, by the name that an agent step's
// cli: gives. They answer without a model, on standard output, as an agent CLI
// does.
func Agents() map[string]Native {
	return map[string]Native{"rules": judgeByRules}
}
