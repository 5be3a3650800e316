package failing

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/brickoven/brickoven/recipes/value/pattern"
)

var (
	tapResult = pattern.Pattern{Source: `^(not )?ok\b\s*(?:\d+)?\s*(?:- )?(.*)$`}
	tapPlan   = pattern.Pattern{Source: `^1\.\.(\d+)\s*(#.*)?$`}
	// Durations change by themselves.
	tapDuration = pattern.Pattern{Source: `^(duration|duration_ms|time|elapsed): `}
	// A # directive may not be escaped.
	tapDirective = pattern.Pattern{Source: `(?i)(?:^|[^\\])#\s*(skip|todo)\b`}
)

// tapTest is one result line, with the diagnosis that follows it.
type tapTest struct {
	ok        bool
	name      string
	directive string // skip, todo or empty
	diagnosis strings.Builder
	children  []*tapTest
}

// tapReader reads lines into levels: subtests are indented by four spaces and
// come before the result line of their parent.
type tapReader struct {
	levels []tapLevel
	yaml   bool
}

// tapLevel is one document or subtest that has not ended.
type tapLevel struct {
	tests []*tapTest
	plan  int // -1 until the plan is read
}

func parseTAP(data []byte, r *report) error {
	t := &tapReader{levels: []tapLevel{{plan: -1}}}
	for line := range strings.Lines(string(data)) {
		if err := t.line(strings.TrimRight(line, " \t\r\n")); err != nil {
			return err
		}
	}
	if len(t.levels) > 1 {
		return errors.New("it was cut short inside a subtest")
	}
	top := t.levels[0]
	if err := top.check(); err != nil {
		return err
	}
	for _, test := range top.tests {
		test.report("", r)
	}
	return nil
}

func (l tapLevel) check() error {
	if l.plan < 0 {
		return errors.New("it has no plan, so it may have been cut short")
	}
	if l.plan != len(l.tests) {
		return fmt.Errorf("it was cut short: %d tests planned, %d reported", l.plan, len(l.tests))
	}
	return nil
}

func (t *tapReader) line(line string) error {
	text := strings.TrimLeft(line, " \t")
	spaces := len(line) - len(text)
	if t.yaml {
		if text == "..." {
			t.yaml = false
		} else if last := t.last(); last != nil && !tapDuration.Get().MatchString(text) {
			last.diagnosis.WriteString(text + "\n")
		}
		return nil
	}
	if strings.HasPrefix(text, "Bail out!") {
		return fmt.Errorf("the tests gave up: %s", text)
	}
	if text == "---" && spaces > 0 {
		t.yaml = true
		return nil
	}
	if comment, ok := strings.CutPrefix(text, "#"); ok {
		if last := t.last(); last != nil && !strings.HasPrefix(strings.TrimSpace(comment), "Subtest") {
			last.diagnosis.WriteString(strings.TrimSpace(comment) + "\n")
		}
		return nil
	}
	depth := spaces / 4
	if plan := tapPlan.Get().FindStringSubmatch(text); plan != nil {
		return t.plan(depth, plan[1])
	}
	if result := tapResult.Get().FindStringSubmatch(text); result != nil {
		return t.result(depth, result)
	}
	return nil
}

// last is the test that a diagnosis belongs to.
func (t *tapReader) last() *tapTest {
	tests := t.levels[len(t.levels)-1].tests
	if len(tests) == 0 {
		return nil
	}
	return tests[len(tests)-1]
}

func (t *tapReader) open(depth int) {
	for len(t.levels) <= depth {
		t.levels = append(t.levels, tapLevel{plan: -1})
	}
}

func (t *tapReader) plan(depth int, count string) error {
	n, err := strconv.Atoi(count)
	if err != nil {
		return fmt.Errorf("plan: %w", err)
	}
	t.open(depth)
	t.levels[depth].plan = n
	return nil
}

func (t *tapReader) result(depth int, match []string) error {
	test := &tapTest{ok: match[1] == "", name: match[2]}
	if at := tapDirective.Get().FindStringSubmatchIndex(test.name); at != nil {
		test.directive = strings.ToLower(test.name[at[2]:at[3]])
		test.name = test.name[:strings.LastIndexByte(test.name[:at[2]], '#')]
	}
	test.name = strings.TrimSpace(test.name)
	if len(t.levels) > depth+1 {
		if len(t.levels) > depth+2 {
			return fmt.Errorf("the subtests of %q end in the middle", test.name)
		}
		inner := t.levels[depth+1]
		if err := inner.check(); err != nil {
			return fmt.Errorf("the subtests of %q: %w", test.name, err)
		}
		test.children = inner.tests
		t.levels = t.levels[:depth+1]
	}
	t.open(depth)
	if test.name == "" {
		test.name = "test " + strconv.Itoa(len(t.levels[depth].tests)+1)
	}
	t.levels[depth].tests = append(t.levels[depth].tests, test)
	return nil
}

// report names a test; a failed parent is reported by its failed subtests. A
// test that is still to be done may fail without being a failure.
func (t *tapTest) report(parent string, r *report) {
	id := t.name
	if parent != "" {
		id = parent + "::" + t.name
	}
	before := len(r.failures)
	for _, child := range t.children {
		child.report(id, r)
	}
	switch {
	case t.directive == "skip", t.directive == "todo" && !t.ok:
		r.skipped = append(r.skipped, id)
	case t.ok:
		r.passed = append(r.passed, id)
	case len(r.failures) > before:
		r.broken = append(r.broken, id)
	default:
		text := t.diagnosis.String()
		r.fail(id, tapLocation(text), text)
	}
}

var (
	tapFile = pattern.Pattern{Source: `(?m)^\s*(?:file|at): *['"]?([^'"\n]+?)['"]?\s*$`}
	tapLine = pattern.Pattern{Source: `(?m)^\s*line: *(\d+)\s*$`}
)

func tapLocation(diagnosis string) string {
	file, line := tapFile.Get().FindStringSubmatch(diagnosis), tapLine.Get().FindStringSubmatch(diagnosis)
	if file == nil || line == nil {
		return located(diagnosis)
	}
	n, err := strconv.Atoi(line[1])
	if err != nil {
		n = 0
	}
	return place(file[1], n)
}
