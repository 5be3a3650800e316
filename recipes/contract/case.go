package contract

import (
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/brickoven/brickoven/recipes"
	"github.com/brickoven/brickoven/recipes/value"
)

// file reads the document.
func (l *loader) file(doc map[string]any) *File {
	f := &File{Path: l.path}
	shared := &Case{Timeout: DefaultTimeout, Env: map[string]string{}, Context: map[string]any{}, Stubs: map[string]any{}}
	keys := l.shared(shared)
	keys["recipe"] = func(at place, v any) { f.Recipe = l.text(at, v) }
	keys["description"] = func(at place, v any) { f.Description = l.text(at, v) }
	keys["cases"] = func(place, any) {} // read below, when what they share is known
	l.mapping(nil, doc, keys)
	if strings.TrimSpace(f.Recipe) == "" {
		l.fail(nil, "missing-recipe", "the file names no recipe", "write recipe: with a name, or with a path that starts with ./")
	}
	cases := l.list(place{"cases"}, doc["cases"])
	if len(cases) == 0 {
		l.fail(place{"cases"}, "missing-cases", "the file has no cases", "write cases: with a list of cases")
	}
	names := map[string]bool{}
	for i, v := range cases {
		at := place{"cases"}.index(i)
		c := l.testCase(at, v, shared)
		if names[c.Name] && c.Name != "" {
			l.fail(at.to("name"), "duplicate-case", fmt.Sprintf("there is another case %q", c.Name), "give each case a name of its own")
		}
		names[c.Name] = true
		f.Cases = append(f.Cases, c)
	}
	return f
}

// shared reads the keys that a file has for all of its cases.
func (l *loader) shared(c *Case) map[string]func(place, any) {
	return map[string]func(place, any){
		"context": func(at place, v any) { maps.Copy(c.Context, l.values(at, v)) },
		"stubs":   func(at place, v any) { maps.Copy(c.Stubs, l.stubs(at, v)) },
		"env": func(at place, v any) {
			for _, key := range l.keys(at, v) {
				c.Env[key] = l.text(at.to(key), v.(map[string]any)[key])
			}
		},
		"timeout": func(at place, v any) {
			span, ok := recipes.ParseDuration(value.Text(v))
			if !ok || span == 0 {
				l.fail(at, "wrong-value", "timeout must be a time span", "write seconds (90) or a text such as 90s or 10m")
			}
			c.Timeout = span
		},
	}
}

func (l *loader) testCase(at place, v any, shared *Case) *Case {
	c := &Case{
		Pos: l.position(at), Timeout: shared.Timeout, Files: map[string]string{},
		Context: maps.Clone(shared.Context), Stubs: maps.Clone(shared.Stubs), Env: maps.Clone(shared.Env),
	}
	expects := false
	keys := l.shared(c)
	keys["name"] = func(at place, v any) { c.Name = l.text(at, v) }
	keys["git"] = func(at place, v any) { c.Git = l.git(at, v) }
	keys["files"] = func(at place, v any) {
		for _, key := range l.keys(at, v) {
			l.localPath(at.to(key), key)
			c.Files[key] = l.text(at.to(key), v.(map[string]any)[key])
		}
	}
	keys["agents"] = func(at place, v any) { c.Agents, c.Every = l.agents(at, v) }
	keys["flags"] = func(at place, v any) { c.Flags = l.texts(at, v) }
	keys["expect"] = func(at place, v any) {
		c.Expect = l.expect(at, v)
		expects = len(l.values(at, v)) > 0
	}
	l.mapping(at, v, keys)
	if strings.TrimSpace(c.Name) == "" {
		l.fail(at, "missing-name", "the case has no name", "add name:")
	}
	if !expects {
		l.fail(at, "expects-nothing", fmt.Sprintf("the case %q expects nothing, so it could not fail", c.Name), "add expect: with what must hold")
	}
	return c
}

// stubKeys are the keys of a stub, as a stub file has them.
var stubKeys = []string{"command", "error", "exit_code", "output", "outputs"}

func (l *loader) stubs(at place, v any) map[string]any {
	stubs := l.values(at, v)
	for _, id := range slices.Sorted(maps.Keys(stubs)) {
		m, isMap := stubs[id].(map[string]any)
		if !isMap {
			continue
		}
		for _, key := range slices.Sorted(maps.Keys(m)) {
			if !slices.Contains(stubKeys, key) {
				l.fail(at.to(id, key), "unknown-key", fmt.Sprintf("unknown key %q of a stub", key), "there are "+strings.Join(stubKeys, ", "))
			}
		}
	}
	return stubs
}

func (l *loader) git(at place, v any) *Git {
	g := &Git{Branch: "main"}
	l.mapping(at, v, map[string]func(place, any){
		"branch":  func(at place, v any) { g.Branch = l.text(at, v) },
		"changes": func(at place, v any) { g.Changes = l.edits(at, v) },
		"staged":  func(at place, v any) { g.Staged = l.edits(at, v) },
		"commits": func(at place, v any) {
			for i, item := range l.list(at, v) {
				g.Commits = append(g.Commits, l.commit(at.index(i), item))
			}
		},
	})
	return g
}

func (l *loader) commit(at place, v any) Commit {
	c := Commit{Message: "commit " + at[len(at)-1]}
	l.mapping(at, v, map[string]func(place, any){
		"message": func(at place, v any) { c.Message = l.text(at, v) },
		"files":   func(at place, v any) { c.Files = l.edits(at, v) },
		"tag":     func(at place, v any) { c.Tag = l.text(at, v) },
	})
	return c
}

func (l *loader) edits(at place, v any) Edits {
	edits := Edits{}
	for _, key := range l.keys(at, v) {
		l.localPath(at.to(key), key)
		edits[key] = nil
		if item := v.(map[string]any)[key]; item != nil {
			text := l.text(at.to(key), item)
			edits[key] = &text
		}
	}
	return edits
}

// localPath refuses a path that leads out of the case's folder, or into the
// repository's own data.
func (l *loader) localPath(at place, name string) {
	first, _, _ := strings.Cut(path.Clean(filepath.ToSlash(name)), "/")
	if !filepath.IsLocal(name) || first == "." || strings.EqualFold(first, ".git") {
		l.fail(at, "wrong-value", fmt.Sprintf("%q is not a path of a file below the case's folder", name), "")
	}
}

// agents reads the answers of the scripted agent. A single one serves all calls.
func (l *loader) agents(at place, v any) (answers []Answer, every bool) {
	list, ok := v.([]any)
	if !ok {
		return []Answer{l.answer(at, v)}, true
	}
	for i, item := range list {
		answers = append(answers, l.answer(at.index(i), item))
	}
	return answers, false
}

func (l *loader) answer(at place, v any) Answer {
	a := Answer{}
	if _, isMap := v.(map[string]any); !isMap {
		a.Output = l.text(at, v)
		return a
	}
	l.mapping(at, v, map[string]func(place, any){
		"output":    func(_ place, v any) { a.Output = value.Text(v) },
		"exit_code": func(at place, v any) { a.ExitCode = l.number(at, v, 255) },
		"error":     func(at place, v any) { a.Error = l.text(at, v) },
		"command":   func(at place, v any) { a.Command = l.text(at, v) },
		"prompt":    func(at place, v any) { a.Prompt = l.matchers(at, v) },
	})
	return a
}
