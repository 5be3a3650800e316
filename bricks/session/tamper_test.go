package session

import (
	"maps"
	"testing"

	"github.com/brickoven/brickoven/recipes/value"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func num(text string) value.Number { return value.Number(text) }

func TestCompareListsEveryChange(t *testing.T) {
	t.Parallel()
	before := Snapshot(map[string][]byte{"goal.md": []byte("g"), "state.json": []byte("s"), "updates.md": []byte("u"), "control.json": []byte("c")})
	after := Snapshot(map[string][]byte{"goal.md": []byte("G"), "state.json": []byte("s"), "note": nil, "control.json": []byte("C"), "iterations/0001_w/goal_check.json": []byte("{}")})
	after["link"] = "link:/etc/passwd"
	want := []Difference{
		{"goal.md", Changed, Mark([]byte("g")), Mark([]byte("G"))}, {"link", Added, "", "link:/etc/passwd"}, {"note", Added, "", Mark(nil)},
		{"updates.md", Removed, Mark([]byte("u")), ""},
	}
	if diff := cmp.Diff(want, Compare(before, after, Allowed("0001_w"))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if found := Compare(before, after, Allowed("0002_w")); len(found) != 5 || found[1].Path != "iterations/0001_w/goal_check.json" {
		t.Errorf("the goal check of another iteration: %+v", found)
	}
	if found := Compare(nil, nil, nil); len(found) != 0 {
		t.Errorf("nothing differs from nothing: %+v", found)
	}
	for path, want := range map[string]bool{"control.json": true, "iterations//goal_check.json": false, "goal_check.json": false, "x/control.json": false, "control.rejected.json": false} {
		if Allowed("")(path) != want {
			t.Errorf("%s may be written between iterations: %v", path, !want)
		}
	}
}

func TestEveryChangeIsFoundAndNothingElse(t *testing.T) {
	t.Parallel()
	names := rapid.SampledFrom([]string{"a", "b", "c/d", "control.json", "iterations/0001_w/goal_check.json", "iterations/0001_w/result.json"})
	folder := rapid.MapOf(names, rapid.Map(rapid.StringN(0, 2, 4), func(s string) []byte { return []byte(s) }))
	rapid.Check(t, func(t *rapid.T) {
		before, after := folder.Draw(t, "before"), folder.Draw(t, "after")
		allowed := Allowed("0001_w")
		got := map[string]Change{}
		for _, d := range Compare(Snapshot(before), Snapshot(after), allowed) {
			got[d.Path] = d.Change
		}
		want := map[string]Change{}
		for name := range before {
			if _, kept := after[name]; !kept {
				want[name] = Removed
			} else if string(before[name]) != string(after[name]) {
				want[name] = Changed
			}
		}
		for name := range after {
			if _, had := before[name]; !had {
				want[name] = Added
			}
		}
		maps.DeleteFunc(want, func(name string, _ Change) bool { return allowed(name) })
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("(-want +got):\n%s", diff)
		}
	})
}
