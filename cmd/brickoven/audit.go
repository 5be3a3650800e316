package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/brickoven/brickoven/recipes/value"
	"github.com/brickoven/brickoven/runner/step"
)

// audit is the audit log that existing callers read: one line a step of the
// recipe itself, in a file that only the user can read.
type audit struct{ file *os.File }

func openAudit(dir, recipe string, now time.Time) (*audit, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("--audit-dir: %w", err)
	}
	safe := strings.Map(func(r rune) rune {
		if r == '/' || r == '\\' || r == 0 {
			return '_'
		}
		return r
	}, recipe)
	path := filepath.Join(dir, fmt.Sprintf("%s-%d.jsonl", safe, now.Unix()))
	file, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, fmt.Errorf("--audit-dir: %w", err)
	}
	return &audit{file}, nil
}

func (l *audit) note(n step.Note) error {
	if n.Kind != step.StepFinished || strings.Contains(n.Path, "/") {
		return nil
	}
	o := n.Outcome
	line := struct {
		StepID     string  `json:"step_id"`
		Status     string  `json:"status"`
		DurationMS int64   `json:"duration_ms"`
		Error      *string `json:"error"`
		OutputLen  int64   `json:"output_len"`
	}{StepID: o.ID, Status: string(o.Status), DurationMS: o.Duration.Milliseconds(), OutputLen: length(o.Output)}
	if o.Error != "" {
		line.Error = &o.Error
	}
	data, err := json.Marshal(line)
	if err != nil {
		return fmt.Errorf("the audit log: %w", err)
	}
	if _, err := l.file.Write(append(data, '\n')); err != nil {
		return fmt.Errorf("the audit log: %w", err)
	}
	return nil
}

// length is the length of an output in bytes.
func length(v any) int64 {
	if ref, large := v.(value.Ref); large {
		return ref.Size
	}
	return int64(len(value.Text(v)))
}

func (l *audit) close() error { return l.file.Close() }
