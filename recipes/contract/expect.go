package contract

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/brickoven/brickoven/recipes/value"
)

var stepStatuses = []string{"completed", "skipped", "failed", "degraded", NotRun}

func (l *loader) expect(at place, v any) Expect {
	var e Expect
	l.mapping(at, v, map[string]func(place, any){
		"exit_code": func(at place, v any) {
			n := l.number(at, v, 255)
			e.ExitCode = &n
		},
		"agent_calls": func(at place, v any) {
			n := l.number(at, v, 1_000_000)
			e.AgentCalls = &n
		},
		"status":       func(at place, v any) { e.Status = l.text(at, v) },
		"must_not_run": func(at place, v any) { e.MustNotRun = l.texts(at, v) },
		"stderr":       func(at place, v any) { e.Stderr = l.holds(at, v) },
		"variables":    func(at place, v any) { e.Variables = l.variables(at, v) },
		"files": func(at place, v any) {
			for _, key := range l.keys(at, v) {
				l.localPath(at.to(key), key)
				e.Files = append(e.Files, Expectation{key, l.matchers(at.to(key), v.(map[string]any)[key])})
			}
		},
		"steps": func(at place, v any) {
			for _, id := range l.keys(at, v) {
				status := l.text(at.to(id), v.(map[string]any)[id])
				if !slices.Contains(stepStatuses, status) {
					l.fail(at.to(id), "wrong-value", fmt.Sprintf("a step is never %q", status), "it is "+strings.Join(stepStatuses, ", "))
				}
				e.Steps = append(e.Steps, StepExpectation{id, status})
			}
		},
	})
	return e
}

func (l *loader) variables(at place, v any) []Expectation {
	var list []Expectation
	for _, path := range l.keys(at, v) {
		if _, ok := value.SplitPath(path); !ok {
			l.fail(at.to(path), "wrong-value", fmt.Sprintf("%q is not the path of a variable", path), "write name, name.key or name.0")
		}
		list = append(list, Expectation{path, l.matchers(at.to(path), v.(map[string]any)[path])})
	}
	return list
}

// holds reads matchers of a text, where a bare text must be contained.
func (l *loader) holds(at place, v any) []Matcher {
	if _, isMap := v.(map[string]any); isMap {
		return l.matchers(at, v)
	}
	var list []Matcher
	for _, text := range l.texts(at, v) {
		list = append(list, Matcher{Contains, text})
	}
	return list
}

// matchers reads a value that must be equal, or a mapping of matchers.
func (l *loader) matchers(at place, v any) []Matcher {
	m, isMap := v.(map[string]any)
	if !isMap {
		return []Matcher{{Equals, v}}
	}
	var list []Matcher
	texts := func(kind Kind) func(place, any) {
		return func(at place, v any) {
			for i, text := range l.texts(at, v) {
				if kind == Matches {
					l.checkPattern(at, i, text)
				}
				list = append(list, Matcher{kind, text})
			}
		}
	}
	l.mapping(at, v, map[string]func(place, any){
		"equals":       func(_ place, v any) { list = append(list, Matcher{Equals, v}) },
		"contains":     texts(Contains),
		"not_contains": texts(NotContains),
		"matches":      texts(Matches),
		"absent": func(at place, v any) {
			switch v {
			case true:
				list = append(list, Matcher{Kind: Absent})
			case false:
				list = append(list, Matcher{Kind: Present})
			default:
				l.wrong(at, "true or false", v)
			}
		},
	})
	if len(m) == 0 {
		l.fail(at, "expects-nothing", fmt.Sprintf("nothing is expected of %s", at[len(at)-1]), "there are "+strings.Join(matcherKeys(), ", "))
	}
	return list
}

func matcherKeys() []string {
	return slices.Sorted(maps.Keys(map[string]bool{
		string(Equals): true, string(Contains): true, string(NotContains): true, string(Matches): true, string(Absent): true,
	}))
}

func (l *loader) checkPattern(at place, i int, pattern string) {
	if _, err := regexp.Compile(pattern); err != nil {
		l.fail(at.index(i), "wrong-value", "the pattern does not parse: "+err.Error(), "")
	}
}
