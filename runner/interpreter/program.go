package interpreter

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"

	"github.com/brickoven/brickoven/runner/process"
	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/interp"
)

// The exit codes of a shell for a program that cannot be started.
const (
	codeNoExec  = 126
	codeMissing = 127
)

// exec runs a program that a script names, in a process group of its own.
func (s *session) exec(ctx context.Context, args []string) error {
	hc := interp.HandlerCtx(ctx)
	spec := process.Spec{Argv: args, Dir: hc.Dir, Env: exported(hc.Env, hc.Dir), Stdin: hc.Stdin, Stdout: hc.Stdout, Stderr: hc.Stderr}
	exit, err := s.in.Run(ctx, spec)
	if errors.Is(err, errNoFormat) {
		// A script without a first line that names its interpreter.
		spec.Argv = append([]string{"/bin/sh", args[0]}, args[1:]...)
		exit, err = s.in.Run(ctx, spec)
	}
	if err != nil {
		return notStarted(hc.Stderr, args[0], err)
	}
	if exit.OutputErr != nil {
		return exit.OutputErr
	}
	if exit.Code != 0 {
		return interp.ExitStatus(exit.Code)
	}
	return nil
}

// notStarted says it as a shell does.
func notStarted(stderr io.Writer, program string, err error) error {
	var start *process.StartError
	code := codeNoExec
	switch {
	case errors.As(err, &start) && start.Dir == "" && errors.Is(err, syscall.ENOENT):
		code = codeMissing
		if strings.ContainsRune(program, '/') {
			fmt.Fprintf(stderr, "%s: No such file or directory\n", program)
		} else {
			fmt.Fprintf(stderr, "%s: command not found\n", program)
		}
	case errors.As(err, &start):
		fmt.Fprintf(stderr, "%s: %v\n", program, start.Err)
	default:
		return err
	}
	return interp.ExitStatus(code)
}

// exported is the environment of a program: the later of two settings holds,
// and what is unset or unexported is not there.
func exported(env expand.Environ, dir string) []string {
	var list []string
	places := map[string]int{}
	env.Each(func(name string, v expand.Variable) bool {
		entry := ""
		if v.Exported && v.Kind == expand.String && v.Set {
			entry = name + "=" + v.Str
		}
		if at, known := places[name]; known {
			list[at] = entry
		} else {
			places[name] = len(list)
			list = append(list, entry)
		}
		return true
	})
	kept := list[:0]
	for _, entry := range list {
		if entry != "" && !strings.HasPrefix(entry, "PWD=") {
			kept = append(kept, entry)
		}
	}
	return append(kept, "PWD="+dir)
}

// input makes a file of the step's input, which is what programs can share.
func input(in io.Reader) (file io.Reader, end func(), err error) {
	if in == nil {
		return nil, func() {}, nil
	}
	if own, ok := in.(*os.File); ok {
		return own, func() {}, nil
	}
	r, w, err := os.Pipe()
	if err != nil {
		return nil, nil, err
	}
	go func() {
		// A script may end without reading everything; that is no error.
		_, _ = io.Copy(w, in)
		_ = w.Close()
	}()
	return r, func() { _ = r.Close() }, nil
}
