package scope_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/brickoven/brickoven/runner/scope"
)

func TestForkSeesItsParentAndLeavesItAlone(t *testing.T) {
	t.Parallel()
	parent := scope.New()
	parent.Set("a", "1")
	parent.Set("b", "2")
	parent.Set("c", "3")
	child := parent.Fork()
	child.Set("b", "two")
	child.Unset("c")
	child.Set("d", nil)

	want := map[string]any{"a": "1", "b": "two", "d": nil}
	if diff := cmp.Diff(want, child.Flatten()); diff != "" {
		t.Errorf("child (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(map[string]any{"a": "1", "b": "2", "c": "3"}, parent.Flatten()); diff != "" {
		t.Errorf("parent (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"a", "b", "d"}, child.Names()); diff != "" {
		t.Errorf("names (-want +got):\n%s", diff)
	}
	own := []scope.Variable{{Name: "b", Value: "two"}, {Name: "d"}}
	if diff := cmp.Diff(own, child.Own()); diff != "" {
		t.Errorf("own (-want +got):\n%s", diff)
	}
	if _, found := child.Get("c"); found {
		t.Error("an unset variable of the parent is still found")
	}
	if v, found := child.Get("d"); !found || v != nil {
		t.Error("a variable that is null is not found")
	}
}

func TestSettingAgainMakesAVariableTheNewest(t *testing.T) {
	t.Parallel()
	s := scope.New()
	for range 100 {
		for _, name := range []string{"a", "b", "c"} {
			s.Set(name, name)
		}
		s.Set("a", "again")
	}
	s.Unset("b")
	var order []string
	for name := range s.All() {
		order = append(order, name)
	}
	if diff := cmp.Diff([]string{"c", "a"}, order); diff != "" {
		t.Errorf("order (-want +got):\n%s", diff)
	}
}

func TestUnsetThenSetInAForkFindsTheNewValue(t *testing.T) {
	t.Parallel()
	parent := scope.New()
	parent.Set("x", "1")
	child := parent.Fork()
	child.Unset("x")
	child.Set("x", "2")
	if v, _ := child.Get("x"); v != "2" {
		t.Errorf("x = %v", v)
	}
}
