package ratchet_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/brickoven/brickoven/bricks/brakes/failing"
	"github.com/brickoven/brickoven/bricks/brakes/ratchet"
)

func TestARoundRegressesUnlessItsPassingSetContainsTheAcceptedOne(t *testing.T) {
	t.Parallel()
	complete := func(passed []string, failed ...string) failing.Set {
		s := failing.Set{State: failing.Known, Complete: true, Passed: passed}
		for _, id := range failed {
			s.Failures = append(s.Failures, failing.Failure{Test: id})
		}
		return s
	}
	listed := func(failed ...string) failing.Set {
		s := complete(nil, failed...)
		s.Complete = false
		return s
	}
	for name, c := range map[string]struct {
		accepted, now failing.Set
		want          []string
	}{
		"fixed":                   {complete([]string{"a"}, "b"), complete([]string{"a", "b"}), nil},
		"broken":                  {complete([]string{"a", "b"}), complete([]string{"b"}, "a"), []string{"a"}},
		"gone":                    {complete([]string{"a", "b"}), complete([]string{"b"}), []string{"a"}},
		"a new test fails":        {complete([]string{"a"}), complete([]string{"a"}, "new"), nil},
		"listed: fixed":           {listed("a", "b"), listed("b"), nil},
		"listed: another fails":   {listed("a"), listed("a", "b"), []string{"b"}},
		"unknown now":             {complete([]string{"a"}), failing.Set{State: failing.Unknown}, nil},
		"unknown before":          {failing.Set{State: failing.Unknown}, listed("a"), nil},
		"nothing accepted so far": {failing.Set{}, listed("a"), nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(c.want, ratchet.Regressed(c.accepted, c.now), cmpopts.EquateEmpty()); diff != "" {
				t.Error(diff)
			}
		})
	}
}
