package brakes_test

import (
	"strings"
	"testing"
	"time"

	"github.com/brickoven/brickoven/bricks/brakes"
)

func TestOnlyLimitsCanBeRaised(t *testing.T) {
	t.Parallel()
	c := config(t, map[string]any{"rounds": 3, "budget_usd": 1, "protect": []any{"a"}})
	raised, err := c.Raised(map[string]any{"rounds": 9, "budget_minutes": 2})
	if err != nil {
		t.Fatal(err)
	}
	if raised.Rounds != 9 || raised.BudgetTime != 2*time.Minute || raised.BudgetUSD != 1 || len(raised.Protect) != 1 {
		t.Errorf("raised to %+v", raised)
	}
	for _, limit := range []map[string]any{{"protect": "b"}, {"rounds": 0}, {"reference": "none"}} {
		if _, err := c.Raised(limit); err == nil || !strings.Contains(err.Error(), "brakes.") {
			t.Errorf("%v: %v", limit, err)
		}
	}
}

func TestBrakesThatLackWhatTheyWatchAreFound(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		brakes  map[string]any
		checked bool
		want    int
	}{
		{map[string]any{"probe": 2, "reference": "v1"}, false, 2},
		{map[string]any{"probe": 2, "reference": "v1"}, true, 0},
		{map[string]any{"probe": 2, "failing": failingKey, "reference": "v1"}, false, 0},
		{map[string]any{"rounds": 2}, false, 0},
	} {
		if found := config(t, c.brakes).Lacks(c.checked); len(found) != c.want {
			t.Errorf("%v: %v", c.brakes, found)
		}
	}
}

// Only brakes that look at the work tree need one.
func TestBrakesThatOnlyCountNeedNoRepository(t *testing.T) {
	t.Parallel()
	for _, v := range []map[string]any{{"rounds": 3}, {"budget_usd": 1, "stale_after": "1m"}, {"failing": failingKey, "on_regression": "ignore"}} {
		if config(t, v).Watches() {
			t.Errorf("%v looks at the work tree", v)
		}
	}
	for _, v := range []map[string]any{{"failing": failingKey}, {"protect": "a"}, {"probe": 2}, {"comprehension": map[string]any{"max_unread": 1}}, {"reference": "v1"}} {
		if !config(t, v).Watches() {
			t.Errorf("%v does not look at the work tree", v)
		}
	}
}

// A round that was ended in its middle counts, so that the next one has the next
// number.
func TestARoundThatWasEndedInItsMiddleCounts(t *testing.T) {
	t.Parallel()
	c := config(t, map[string]any{"budget_usd": 1})
	e := brakes.New(c, brakes.State{})
	if d := e.During(brakes.Meter{Spend: brakes.Spend{USD: 2}}); d.Halt == nil {
		t.Fatal("the budget does not hold")
	}
	e.Pass(1)
	higher, err := c.Raised(map[string]any{"budget_usd": 9})
	if err != nil {
		t.Fatal(err)
	}
	again := brakes.New(higher, stored(t, e.State()))
	if d := again.Observe(brakes.Round{Number: 2, Verdict: brakes.Continue}); d.Halt != nil {
		t.Errorf("round 2: %v", d.Halt)
	}
}
