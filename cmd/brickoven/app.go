package main

import (
	"io"
	"strings"
)

// app is all that a command may touch of the world outside. Commands get it at
// construction, so that tests run them in process with what they like.
type app struct {
	environ []string
	in      io.Reader
	out     io.Writer
	err     io.Writer
}

// getenv looks a name up in the app's environment; absent is empty.
func (a *app) getenv(name string) string {
	for i := len(a.environ) - 1; i >= 0; i-- {
		if key, text, ok := strings.Cut(a.environ[i], "="); ok && key == name {
			return text
		}
	}
	return ""
}

// failure ends a command with an exit code of the table in runner/exit. A nil
// Err prints nothing: the command has already said all there is to say.
type failure struct {
	Code int
	Err  error
}

func (f *failure) Error() string {
	if f.Err == nil {
		return ""
	}
	return f.Err.Error()
}

func (f *failure) Unwrap() error { return f.Err }
