package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/brickoven/brickoven/bricks/score"
	"github.com/brickoven/brickoven/bricks/score/plot"
)

// print writes the result to stdout and turns it into an exit code.
func (s *scoring) print(r score.Result) error {
	if err := s.write(r); err != nil {
		return &failure{Code: scoreMalformed, Err: fmt.Errorf("write the result: %w", err)}
	}
	switch r.Status {
	case score.Healthy:
		return nil
	case score.Nothing:
		return &failure{Code: scoreNothing}
	}
	return &failure{Code: scoreUnhealthy}
}

func (s *scoring) write(r score.Result) error {
	if s.format != "json" {
		return r.WriteText(s.app.out)
	}
	text, err := asJSON(r)
	if err != nil {
		return err
	}
	_, err = s.app.out.Write(text)
	return err
}

func asJSON(v any) ([]byte, error) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	err := enc.Encode(v)
	return out.Bytes(), err
}

// scoreFault is the document that stands on stdout when there is no result.
type scoreFault struct {
	Error scoreFaultDetail `json:"error"`
}

type scoreFaultDetail struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
	Source  string `json:"source,omitempty"`
	Line    int    `json:"line,omitempty"`
	Column  int    `json:"column,omitempty"`
	Path    string `json:"path,omitempty"`
	// Index is the position, from 0, of the score at fault.
	Index *int `json:"index,omitempty"`
}

// fail ends the command with the code for malformed input and usage. With JSON
// asked for the message is said in the document, for machines, and on stderr,
// for people.
func (s *scoring) fail(err error) error {
	if s.format != "json" {
		return &failure{Code: scoreMalformed, Err: err}
	}
	detail := scoreFaultDetail{Code: scoreMalformed, Message: err.Error()}
	if fault := (*score.InputError)(nil); errors.As(err, &fault) {
		detail.Source, detail.Path = fault.Source, fault.Path
		detail.Line, detail.Column = fault.Line, fault.Column
		if fault.Index >= 0 {
			detail.Index = &fault.Index
		}
	}
	text, jsonErr := asJSON(scoreFault{detail})
	if jsonErr != nil {
		return &failure{Code: scoreMalformed, Err: errors.Join(err, jsonErr)}
	}
	if _, writeErr := s.app.out.Write(text); writeErr != nil {
		return &failure{Code: scoreMalformed, Err: errors.Join(err, writeErr)}
	}
	if _, writeErr := fmt.Fprintf(s.app.err, "Error: %v\n", err); writeErr != nil {
		return &failure{Code: scoreMalformed, Err: errors.Join(err, writeErr)}
	}
	return &failure{Code: scoreMalformed}
}

// writeFiles writes what --save, --junit and --plot ask for.
func (s *scoring) writeFiles(r score.Result, in loopInput) error {
	outputs := []struct {
		flag, path string
		render     func() ([]byte, error)
	}{
		{"--save", savePath(s.save, r), func() ([]byte, error) { return asJSON(r) }},
		{"--junit", s.junit, func() ([]byte, error) {
			var out bytes.Buffer
			err := r.WriteJUnit(&out)
			return out.Bytes(), err
		}},
		{"--plot", s.plot, func() ([]byte, error) { return plot.SVG(r), nil }},
	}
	for _, output := range outputs {
		if output.path == "" {
			continue
		}
		if err := in.spare(output.path); err != nil {
			return fmt.Errorf("%s: %w", output.flag, err)
		}
		data, err := output.render()
		if err != nil {
			return fmt.Errorf("%s: %w", output.flag, err)
		}
		if err := os.MkdirAll(filepath.Dir(output.path), 0o755); err != nil {
			return fmt.Errorf("%s: %w", output.flag, err)
		}
		if err := os.WriteFile(output.path, data, 0o644); err != nil {
			return fmt.Errorf("%s: %w", output.flag, err)
		}
	}
	return nil
}

// spare refuses to write over what was read.
func (in loopInput) spare(path string) error {
	target, err := os.Stat(path)
	if err != nil {
		return nil // nothing is there that could be written over
	}
	for _, file := range in.files {
		if info, err := os.Stat(file); err == nil && os.SameFile(info, target) {
			return fmt.Errorf("%s is an input of this command and would be written over", path)
		}
	}
	return nil
}

// savePath fills in {name} and {id}. A name from a record must not lead into
// another folder, so that whatever is not a plain character becomes a hyphen.
func savePath(path string, r score.Result) string {
	name := strings.Map(func(c rune) rune {
		if c == '.' || c == '_' || c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' {
			return c
		}
		return '-'
	}, r.Name)
	if strings.Trim(name, ".") == "" {
		name = "loop"
	}
	return strings.NewReplacer("{name}", name, "{id}", r.ID).Replace(path)
}
