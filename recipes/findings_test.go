package recipes

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestFindingsAreErrorsOneByOne(t *testing.T) {
	t.Parallel()
	_, err := Parse("f.yaml", []byte("nme: x\nsteps:\n  - {id: a, command: echo, timeout: soon}\n"), LoadOptions{})
	if first, ok := errors.AsType[*Finding](err); !ok || first.Pos.Line != 1 {
		t.Errorf("the first finding is %v", first)
	}
	found, _ := errors.AsType[Findings](err)
	if diff := cmp.Diff([]string{"unknown-key", "missing-name", "wrong-type"}, found.Codes()); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"unknown-key"}, found.Warnings().Codes()); diff != "" {
		t.Error(diff)
	}
	if strings.Contains(err.Error(), "nme\" at the top") {
		t.Errorf("a warning is printed among the faults: %v", err)
	}
	if text := found.Warnings().Error(); !strings.Contains(text, "unknown key \"nme\"") {
		t.Errorf("warnings alone print nothing: %q", text)
	}
}

func TestFindingsKeepTheOrderOfFilesAndLines(t *testing.T) {
	t.Parallel()
	at := func(file string, line, column int) *Finding { return &Finding{Pos: Position{file, line, column}} }
	list := Findings{at("b", 5, 1), at("a", 2, 9), at("b", 1, 1), at("a", 2, 3), at("b", 0, 0)}
	list.sort()
	want := []string{"b", "b:1:1", "b:5:1", "a:2:3", "a:2:9"}
	var got []string
	for _, f := range list {
		got = append(got, f.Pos.String())
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
