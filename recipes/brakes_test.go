package recipes

import (
	"strings"
	"testing"
)

func TestFaultsOfBrakesHaveThePlaceOfTheirValue(t *testing.T) {
	t.Parallel()
	text := `name: x
steps:
  - id: l
    type: loop
    check: make test
    steps: [{id: a, command: b}]
    brakes:
      rounds: 3
      failing:
        command: "run {{suite}}"
        format: tap
      protect: [one, two]
context: {suite: all}
`
	resolver := NewResolver(Search{Builtin: func(name string) ([]byte, bool) { return []byte(text), name == "x" }})
	tree, err := resolver.Resolve("x", LoadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var seen any
	found := tree.CheckBrakes(func(brakes any, checked bool) []BrakeFault {
		seen = brakes
		if !checked {
			t.Error("the loop has a check")
		}
		return []BrakeFault{
			{Path: "rounds", Message: "a"}, {Path: "failing.command", Message: "b"}, {Path: "protect.1", Message: "c"},
			{Path: "protect.9", Message: "d"}, {Message: "e"}, {Path: "failing.gone", Message: "f", Warning: true},
		}
	})
	want := []string{"8:15: brakes.rounds: a", "10:18: brakes.failing.command: b", "12:22: brakes.protect.1: c", "12:16: brakes.protect.9: d", "8:7: brakes: e", "10:9: brakes.failing.gone: f"}
	if len(found) != len(want) {
		t.Fatalf("%d faults: %v", len(found), found)
	}
	for i, f := range found {
		if !strings.Contains(f.Error(), want[i]) || f.Warning != (i == 5) {
			t.Errorf("%s, want %s", f.Error(), want[i])
		}
	}
	if m, _ := seen.(map[string]any); m["rounds"] == nil {
		t.Errorf("the brakes are %v", seen)
	}
	parts := tree.Root.Steps[0].Parts()
	if last := parts[len(parts)-1]; last.ID != "l.failing" || last.Command == nil {
		t.Errorf("the failing command is %+v", last)
	}
}
