package failing

import (
	"bytes"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/brickoven/brickoven/bricks/signature"
	"github.com/brickoven/brickoven/recipes/value/pattern"
)

// Format names the report that a failing command writes to standard output.
type Format string

// The formats.
const (
	// Lines is one failure a line; blank lines do not count. The line's
	// normalised text is its id, so it should not hold anything that changes by
	// itself. It does not tell which tests pass.
	Lines Format = "lines"
	// GoTestJSON is the output of go test -json.
	GoTestJSON Format = "go-test-json"
	// JUnit is one or more JUnit XML documents.
	JUnit Format = "junit"
	// TAP is the Test Anything Protocol, versions 12 to 14, with subtests.
	TAP Format = "tap"
	// JestJSON is the output of jest --json or vitest --reporter=json.
	JestJSON Format = "jest-json"
	// PytestJSON is the report of pytest-json-report.
	PytestJSON Format = "pytest-json"
)

// Formats lists the formats as they are documented.
func Formats() []Format {
	return []Format{Lines, GoTestJSON, JUnit, TAP, JestJSON, PytestJSON}
}

// Output is how a failing command ended.
type Output struct {
	Stdout []byte
	// ExitCode is the command's; a command that a signal ended has a negative
	// one, or 128 and more as a shell reports it.
	ExitCode int
	// NotStarted says why the command could not run or was cut short; empty if
	// it ran to its end.
	NotStarted string
	// CheckRed tells that the loop's check failed on the same tree: a set that
	// is empty then cannot be right.
	CheckRed bool
	// Root is the folder that the command ran in; absolute paths below it
	// become relative, so that another checkout has the same ids.
	Root string
}

// report collects what a format says, in any order and with repetitions.
type report struct {
	root     string
	failures []Failure
	passed   []string
	skipped  []string
	broken   []string
}

// parsers read a report; an error makes the set unknown.
var parsers = map[Format]func(data []byte, r *report) error{
	Lines:      parseLines,
	GoTestJSON: parseGoTest,
	JUnit:      parseJUnit,
	TAP:        parseTAP,
	JestJSON:   parseJest,
	PytestJSON: parsePytest,
}

// Parse reads a report. A command that could not run, a report that cannot be
// parsed or that was cut short, and a report without a failure from a command
// that failed or beside a red check give an unknown set that says why.
func Parse(format Format, out Output) Set {
	parse, found := parsers[format]
	switch {
	case !found:
		return unknown("there is no format %q", format)
	case out.NotStarted != "":
		return unknown("the failing command did not run: %s", out.NotStarted)
	case out.ExitCode == 126 || out.ExitCode == 127:
		return unknown("the failing command could not be started (exit code %d)", out.ExitCode)
	case out.ExitCode < 0 || out.ExitCode >= 128:
		return unknown("the failing command was ended by a signal (exit code %d)", out.ExitCode)
	}
	r := &report{root: out.Root}
	if err := parse(out.Stdout, r); err != nil {
		return unknown("the report is not valid %s: %v", format, err)
	}
	set := r.set(format != Lines)
	if set.Size() > 0 {
		return set
	}
	// A filter such as grep ends with 1 when nothing matches.
	tolerated := 0
	if format == Lines {
		tolerated = 1
	}
	switch {
	case out.CheckRed:
		return unknown("the report names no failure while the check is red")
	case out.ExitCode > tolerated:
		return unknown("the report names no failure while the failing command ended with exit code %d", out.ExitCode)
	case set.Complete && len(set.Passed) == 0 && len(set.Skipped) == 0:
		return unknown("the report names no test at all")
	}
	return set
}

func (r *report) fail(test, location, message string) {
	r.failures = append(r.failures, Failure{Test: test, Location: r.relative(location), Message: signature.Of(message)})
}

// relative drops the root of a path.
func (r *report) relative(path string) string {
	if r.root == "" {
		return path
	}
	root := strings.TrimSuffix(filepath.ToSlash(r.root), "/") + "/"
	return strings.TrimPrefix(filepath.ToSlash(path), root)
}

// set gives a test that is reported several times the worst of its results, so
// that a rerun cannot hide a failure.
func (r *report) set(complete bool) Set {
	s := Set{State: Known, Complete: complete}
	s.Failures = slices.Clone(r.failures)
	slices.SortFunc(s.Failures, func(a, b Failure) int {
		return cmpFirst(strings.Compare(a.Test, b.Test), strings.Compare(a.Location, b.Location), strings.Compare(a.Message, b.Message))
	})
	s.Failures = slices.Compact(s.Failures)
	if !complete {
		return s
	}
	failed := s.Tests()
	s.Broken = sorted(r.broken)
	s.Skipped = without(sorted(r.skipped), failed)
	s.Passed = without(without(sorted(r.passed), failed), s.Skipped)
	s.Passed = without(s.Passed, s.Broken)
	return s
}

func cmpFirst(orders ...int) int {
	for _, order := range orders {
		if order != 0 {
			return order
		}
	}
	return 0
}

// without drops from ids what is in the sorted list.
func without(ids, list []string) []string {
	return slices.DeleteFunc(ids, func(id string) bool {
		_, found := slices.BinarySearch(list, id)
		return found
	})
}

var fileLine = pattern.Pattern{Source: `([A-Za-z]:)?[\w./\\@+-]+\.[A-Za-z][A-Za-z0-9]{0,4}:\d+`}

// located finds the first file:line in a text; empty if there is none.
func located(text string) string { return fileLine.Get().FindString(text) }

// place joins a file with a line number; empty without a file.
func place(file string, line int) string {
	if file == "" || line <= 0 {
		return file
	}
	return file + ":" + strconv.Itoa(line)
}

func parseLines(data []byte, r *report) error {
	for line := range bytes.Lines(data) {
		if id := signature.Normalise(string(line)); id != "" {
			r.failures = append(r.failures, Failure{Test: id})
		}
	}
	return nil
}
