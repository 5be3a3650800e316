package main

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/brickoven/brickoven/bricks/doomloop"
	"github.com/brickoven/brickoven/bricks/score"
)

// maxRecord bounds the size of a record in bytes; a loop's record is small, and
// a log given by mistake is not.
const maxRecord = 64 << 20

// loopInput is all that a verdict is over.
type loopInput struct {
	score.Record
	findings []doomloop.Finding
	notices  []string
	id       string
	// files were read and must not be written over.
	files []string
}

// readInput reads the loop, and the guard events where a file of them is given.
func (s *scoring) readInput(ctx context.Context, reference string) (loopInput, error) {
	in, text, err := s.readLoop(ctx, reference)
	if err != nil {
		return loopInput{}, err
	}
	guards := ""
	if s.guardEvents != "" {
		if guards, err = s.readText(s.guardEvents); err != nil {
			return loopInput{}, err
		}
		events, err := score.ParseGuardEvents(guards)
		if err != nil {
			return loopInput{}, named(err, s.guardEvents)
		}
		in.GuardEvents = append(in.GuardEvents, events...)
		in.files = append(in.files, s.guardEvents)
	}
	if in.id == "" {
		in.id = s.contentID(text, guards)
	}
	return in, nil
}

func (s *scoring) readLoop(ctx context.Context, reference string) (in loopInput, text string, err error) {
	if s.newest {
		in, err = s.readRun(ctx, "")
		return in, "", err
	}
	if reference == "" {
		reference = "-"
	}
	if reference != "-" && !isFile(reference) {
		in, err = s.readRun(ctx, reference)
		return in, "", err
	}
	if text, err = s.readText(reference); err != nil {
		return in, "", err
	}
	in.files = []string{reference}
	in.Record, err = score.Parse(text)
	return in, text, named(err, reference)
}

func (s *scoring) readRun(ctx context.Context, reference string) (loopInput, error) {
	if s.runs == nil || strings.ContainsRune(reference, filepath.Separator) || strings.HasSuffix(reference, ".json") {
		return loopInput{}, fmt.Errorf("%s: no such file", reference)
	}
	run, err := s.runs.ReadRun(ctx, reference)
	if err != nil {
		if reference == "" {
			reference = "--newest"
		}
		return loopInput{}, fmt.Errorf("%s: %w", reference, err)
	}
	findings, err := doomloop.Scan(run.Steps, s.thresholds)
	if err != nil {
		return loopInput{}, err
	}
	for _, call := range run.Calls {
		found, err := doomloop.Scan(call, s.toolThresholds)
		if err != nil {
			return loopInput{}, err
		}
		findings = append(findings, found...)
	}
	return loopInput{Record: run.Record, findings: findings, notices: run.Notices, id: run.ID}, nil
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && !info.IsDir()
}

// readText reads a file, or standard input for a hyphen.
func (s *scoring) readText(path string) (string, error) {
	from := s.app.in
	if path != "-" {
		file, err := os.Open(path)
		if err != nil {
			return "", err
		}
		defer file.Close() // opened for reading only: nothing can be lost
		from = file
	}
	data, err := io.ReadAll(io.LimitReader(from, maxRecord+1))
	if err != nil {
		return "", fmt.Errorf("read %s: %w", shown(path), err)
	}
	if len(data) > maxRecord {
		return "", fmt.Errorf("%s is larger than %d MiB", shown(path), maxRecord>>20)
	}
	return string(data), nil
}

func shown(path string) string {
	if path == "-" {
		return "standard input"
	}
	return path
}

// named puts the source's name into a fault in its text.
func named(err error, path string) error {
	if fault := (*score.InputError)(nil); errors.As(err, &fault) {
		fault.Source = shown(path)
	}
	return err
}

// contentID is an id that the same input and options always get, so that a
// repeated CI job writes the same files again. The lengths keep two texts from
// running into each other.
func (s *scoring) contentID(texts ...string) string {
	hash := sha256.New()
	for _, text := range append(texts, s.threshold, fmt.Sprint(s.maxWasted), s.name) {
		fmt.Fprintf(hash, "%d:%s", len(text), text)
	}
	return fmt.Sprintf("%x", hash.Sum(nil))[:12]
}
