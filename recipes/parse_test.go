package recipes

import (
	"encoding/json"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/brickoven/brickoven/recipes/template"
)

func parse(t *testing.T, text string) *Recipe {
	t.Helper()
	r, err := Parse("recipe.yaml", []byte(text), LoadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// step parses the keys of one step, given in flow style.
func step(t *testing.T, keys string) *Step {
	t.Helper()
	return parse(t, "name: x\nsteps:\n  - {id: a, "+keys+"}\n").Steps[0]
}

func codes(err error) []string {
	found, _ := errors.AsType[Findings](err)
	return found.Errors().Codes()
}

func TestContextKeepsWhatTheAuthorWrote(t *testing.T) {
	t.Parallel()
	r := parse(t, `name: x
context:
  sha: 0474915
  ver: 1.10
  day: 2024-01-01
  mode: 0755
  ok: yes
  hex: 0x1F
  exp: 1e3
  big: 12345678901234567
  under: 1_000
  time: 12:30:45
  yes_quoted: "true"
  no: no
  t: true
  T: True
  shout: TRUE
  f: False
  nothing:
  tilde: ~
  nul: null
  Nul: Null
  empty: ""
  quoted: "5"
  single: '1.10'
  tagged: !!str 5
  as_int: !!int "5"
  block: |
    a
     b
  folded: >-
    a
    b
  list: [1, 1.50, x, [true]]
  map: {a-b: 1.0, c: {d: ~}}
steps: [{id: a, command: echo}]
`)
	want := []any{
		"0474915", json.Number("1.10"), "2024-01-01", "0755", "yes", "0x1F", "1e3", json.Number("12345678901234567"), "1_000", "12:30:45",
		"true", "no", true, true, "TRUE", false, nil, nil, nil, "Null", "", "5", "1.10", "5", json.Number("5"), "a\n b\n", "a b",
		[]any{json.Number("1"), json.Number("1.50"), "x", []any{true}},
		map[string]any{"a-b": json.Number("1.0"), "c": map[string]any{"d": nil}},
	}
	var got []any
	for _, v := range r.Context {
		got = append(got, v.Value)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if r.Context[0].Name != "sha" || r.Context[28].Name != "map" || r.Context[1].Pos != (Position{"recipe.yaml", 4, 3}) {
		t.Errorf("order or position is lost: %v", r.Context[1].Pos)
	}
}

func TestMergeKeysAndAliases(t *testing.T) {
	t.Parallel()
	r := parse(t, `name: x
context:
  base: &base {a: 1, b: 2}
  more: &more
    b: 3
    c: &deep [x]
  one: {<<: *base, b: mine}
  list:
    <<: [*base, *more]
  again: *deep
  nested: &n {<<: *more, d: 4}
  last: {<<: *n}
  quoted: {"<<": 5}
steps: [{id: a, command: echo}]
`)
	got := map[string]any{}
	for _, v := range r.Context {
		got[v.Name] = v.Value
	}
	n := func(s string) any { return json.Number(s) }
	for name, want := range map[string]any{
		"one":    map[string]any{"a": n("1"), "b": "mine"},
		"list":   map[string]any{"a": n("1"), "b": n("2"), "c": []any{"x"}},
		"again":  []any{"x"},
		"last":   map[string]any{"b": n("3"), "c": []any{"x"}, "d": n("4")},
		"quoted": map[string]any{"<<": n("5")},
	} {
		if diff := cmp.Diff(want, got[name]); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestStepsMayShareAnAnchor(t *testing.T) {
	t.Parallel()
	r := parse(t, "name: x\nsteps:\n  - &a {id: a, command: echo, timeout: 5}\n  - {<<: *a, id: b, timeout: 6}\n")
	if b := r.Steps[1]; b.ID != "b" || b.Timeout != 6*time.Second || b.Command.Source != "echo" {
		t.Errorf("%+v", b)
	}
	_, err := Parse("r", []byte("name: x\nsteps:\n  - &a {id: a, command: echo}\n  - *a\n"), LoadOptions{})
	if diff := cmp.Diff([]string{"duplicate-step"}, codes(err)); diff != "" {
		t.Error(diff)
	}
}

func TestTypeIsInferred(t *testing.T) {
	t.Parallel()
	for keys, want := range map[string]Type{
		"command: echo":                        Bash,
		"command: echo, prompt: hi":            Bash,
		"prompt: hi":                           Agent,
		"agent: 'a:b', prompt: hi":             Agent,
		"agent: 'a:b', prompt: hi, command: x": Agent,
		"recipe: r":                            Call,
		"recipe: r, agent: 'a:b'":              Call,
		"uses: f":                              Native,
		"uses: f, recipe: r":                   Native,
		"type: bash, command: x, agent: a":     Bash,
		"type: agent, prompt: x, recipe: r":    Agent,
	} {
		if got := step(t, keys).Type; got != want {
			t.Errorf("{%s} is %s, want %s", keys, got, want)
		}
	}
}

func TestDurations(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]Duration{
		"90": 90 * time.Second, "0": 0, "1.5": 1500 * time.Millisecond, "10m": 10 * time.Minute, "1h30m": 90 * time.Minute,
		"250ms": 250 * time.Millisecond, "1d": 24 * time.Hour, "1d2h": 26 * time.Hour, "1h 30m": 90 * time.Minute, " 5s ": 5 * time.Second,
	} {
		if got, ok := ParseDuration(text); !ok || got != want {
			t.Errorf("ParseDuration(%q) = %v, %v; want %v", text, got, ok, want)
		}
	}
	for _, text := range []string{"", "soon", "-5", "-5m", "10 minutes", "1e3", "5x", "d", "99999999999999999999", "9999999999", "1d-2h", "70000d", "NaN"} {
		if got, ok := ParseDuration(text); ok {
			t.Errorf("ParseDuration(%q) = %v, want a refusal", text, got)
		}
	}
	for _, keys := range []string{"timeout: 90", `timeout: "90"`, "timeout: 1m30s", "timeout_seconds: 90"} {
		if got := step(t, "command: x, "+keys).Timeout; got != 90*time.Second {
			t.Errorf("%s is %v", keys, got)
		}
	}
}

func TestThreeSpellingsOfATolerantStep(t *testing.T) {
	t.Parallel()
	for keys, want := range map[string]bool{
		"continue_on_error: true": true, "fatal: false": true, "nonfatal: true": true, `continue_on_error: "true"`: true, `fatal: "False"`: true,
		"continue_on_error: false": false, "fatal: true": false, "nonfatal: false": false, "nonfatal:": false,
		"continue_on_error: true, fatal: true": true,
	} {
		if got := step(t, "command: x, "+keys).Tolerate; got != want {
			t.Errorf("{%s} tolerates: %v, want %v", keys, got, want)
		}
	}
}

func TestEveryKeyReachesItsField(t *testing.T) {
	t.Parallel()
	r := parse(t, `name: x
description: d
version: 1.10
author: me
tags: [a, b]
inputs:
  one: {type: choice, options: [p, q], required: "true", default: p, description: text}
  two: number
  three: what it is for
context_validation: {one: nonempty, two: [git_repo, path]}
env: {A: "{{one}}", B: 1.10}
secrets: TOKEN
recursion: {max_depth: 3, max_total_steps: 9}
hooks: {pre_step: echo pre, post_step: echo post, on_error: echo err}
defaults: {shell: sh}
default_step_timeout: 10m
max_parallel: 4
max_env_bytes: 5000
output: {format: markdown, template: "{{one}}"}
steps:
  - id: a
    name: n
    description: d
    command: echo
    shell: [bash, -euo, pipefail]
    output: o
    condition: one == 'p'
    parse_json: true
    parse_json_required: true
    require_field: f
    output_schema: {type: object}
    working_dir: "{{one}}"
    env: {C: c}
    stdin: "{{o}}"
    idle_timeout: 5
    retry: {attempts: 3, delay: 1s, backoff: 2, max_delay: 1m, on_exit: [1, 2]}
    on_interrupt: skip
    parallel_group: g
    foreach: "{{o}}"
    as: e
    collect: es
    parallel: 2
    when_tags: [t]
    max_env_value_bytes: 10
    allow_reparse: true
    detach: true
  - {id: b, agent: "ns:role", cli: auto, prompt: p, model: m, mode: fast, auto_stage: true, depends_on: []}
  - {id: c, recipe: r, sub_context: {x: "{{one}}", y: {z: ["{{o}}", 5]}}, outputs: {mine: theirs}, recovery_on_failure: true, depends_on: b}
  - {id: d, recipe: r, outputs: [p, q]}
  - {id: e, recipe: r, outputs: []}
  - {id: f, uses: fn, retry: 2}
finally:
  - {id: z, command: echo}
`)
	if diff := cmp.Diff([]Input{
		{Name: "one", Type: "choice", Options: []string{"p", "q"}, Required: true, Default: "p", HasDefault: true, Description: "text"},
		{Name: "two", Type: "number"},
		{Name: "three", Description: "what it is for"},
	}, r.Inputs, cmpopts.IgnoreFields(Input{}, "Pos")); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]Validation{{Name: "one", Rule: "nonempty"}, {Name: "two", Rule: "git_repo"}, {Name: "two", Rule: "path"}},
		r.Validation, cmpopts.IgnoreFields(Validation{}, "Pos")); diff != "" {
		t.Error(diff)
	}
	a, b, c := r.Steps[0], r.Steps[1], r.Steps[2]
	for what, ok := range map[string]bool{
		"top":       r.Name == "x" && r.Description == "d" && r.Version == "1.10" && r.Author == "me" && slices.Equal(r.Tags, []string{"a", "b"}),
		"env":       len(r.Env) == 2 && r.Env[0].Name == "A" && r.Env[1].Value.Source() == "1.10",
		"secrets":   slices.Equal(r.Secrets, []string{"TOKEN"}),
		"recursion": r.Recursion == Recursion{3, 9},
		"hooks":     r.Hooks.PreStep.Source == "echo pre" && r.Hooks.PostStep.Source == "echo post" && r.Hooks.OnError.Source == "echo err",
		"limits":    r.DefaultStepTimeout == 10*time.Minute && r.MaxParallel == 4 && r.MaxEnvBytes == 5000 && slices.Equal(r.Defaults.Shell, Shell{"sh"}),
		"output":    r.Output.Format == "markdown" && r.Output.Template.Source() == "{{one}}",
		"finally":   len(r.Finally) == 1 && r.Finally[0].ID == "z",
		"texts":     a.Name == "n" && a.Description == "d" && a.Command.Source == "echo" && a.Output == "o" && a.RequireField == "f" && a.OnInterrupt == "skip",
		"shell":     slices.Equal(a.Shell, Shell{"bash", "-euo", "pipefail"}),
		"condition": a.Condition != nil && a.Condition.Source() == "one == 'p'",
		"json":      a.ParseJSON && a.ParseJSONRequired && a.OutputSchema.(map[string]any)["type"] == "object",
		"templates": a.WorkingDir.Source() == "{{one}}" && a.Stdin.Source() == "{{o}}" && a.Foreach.Source() == "{{o}}" && a.Env[0].Name == "C",
		"retry":     cmp.Equal(a.Retry, &Retry{Attempts: 3, Delay: time.Second, Backoff: 2, MaxDelay: time.Minute, OnExit: []int{1, 2}}) && r.Steps[5].Retry.Attempts == 2,
		"control":   a.ParallelGroup == "g" && slices.Equal(c.DependsOn, []string{"b"}) && a.As == "e" && a.Collect == "es" && a.Parallel == 2 && slices.Equal(a.WhenTags, []string{"t"}),
		"rest":      a.IdleTimeout == 5*time.Second && a.MaxEnvValueBytes == 10 && a.AllowReparse && a.Detach,
		"agent":     b.Persona == "ns:role" && b.CLI == "auto" && b.Prompt.Source() == "p" && b.Model.Source() == "m" && b.Mode == "fast" && b.AutoStage,
		"call":      c.Recipe == "r" && c.RecoveryOnFailure && c.Context[0].Name == "x" && c.Context[0].Value.(*template.Template).Source() == "{{one}}",
		"deep":      c.Context[1].Value.(map[string]any)["z"].([]any)[0].(*template.Template).Source() == "{{o}}" && c.Context[1].Value.(map[string]any)["z"].([]any)[1] == json.Number("5"),
		"renamed":   cmp.Equal(c.Outputs.Pairs, []Rename{{"mine", "theirs"}}),
		"selected":  cmp.Equal(r.Steps[3].Outputs.Pairs, []Rename{{"p", "p"}, {"q", "q"}}) && r.Steps[4].Outputs != nil && len(r.Steps[4].Outputs.Pairs) == 0,
		"native":    r.Steps[5].Uses == "fn",
	} {
		if !ok {
			t.Errorf("%s is lost: %+v", what, a)
		}
	}
	if len(r.Warnings) > 0 {
		t.Error(Findings(r.Warnings))
	}
}
