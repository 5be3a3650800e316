package brakes_test

import (
	"encoding/json"
	"errors"
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/brickoven/brickoven/bricks/brakes"
	"github.com/brickoven/brickoven/bricks/brakes/failing"
)

func storedRapid(t *rapid.T, s brakes.State) brakes.State {
	text, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	var again brakes.State
	if err := json.Unmarshal(text, &again); err != nil {
		t.Fatal(err)
	}
	return again
}

func TestEveryKeyIsRead(t *testing.T) {
	t.Parallel()
	c, err := brakes.ParseConfig(map[string]any{
		"rounds": 7, "budget_usd": json.Number("2.50"), "budget_tokens": 1_000_000, "budget_minutes": "90", "on_unknown_cost": "halt",
		"cost_anomaly": map[string]any{"sigma": 2, "floor": "5%"}, "stale_after": "10m",
		"failing":            map[string]any{"command": "go test -json ./...", "format": "go-test-json"},
		"no_progress_rounds": 4, "same_failure_rounds": 2, "on_regression": "halt", "reference": "v1.0",
		"protect": []any{"tests/**", "Makefile"}, "probe": 3, "comprehension": map[string]any{"max_unread": 10},
	})
	if err != nil {
		t.Fatal(err)
	}
	var patterns []string
	for _, p := range c.Protect {
		patterns = append(patterns, p.String())
	}
	c.Protect = nil
	want := brakes.Config{
		Rounds: 7, BudgetUSD: 2.5, BudgetTokens: 1_000_000, BudgetTime: 90 * time.Minute, HaltOnUnknown: true,
		Anomaly: &brakes.Anomaly{Sigma: 2, MinRounds: 3, Floor: 0.05}, StaleAfter: 10 * time.Minute,
		FailingCommand: "go test -json ./...", FailingFormat: failing.GoTestJSON,
		NoProgress: 4, SameFailure: 2, OnRegression: brakes.HaltOnRegression, Reference: "v1.0",
		Probe: 3, MaxUnread: 10,
	}
	if diff := cmp.Diff(want, c); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"tests/**", "Makefile"}, patterns); diff != "" {
		t.Error(diff)
	}
}

func TestWithoutKeysOnlyTheWalkIsWatched(t *testing.T) {
	t.Parallel()
	for _, v := range []any{nil, map[string]any{}} {
		c, err := brakes.ParseConfig(v)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(brakes.Config{NoProgress: 5, SameFailure: 3, OnRegression: brakes.Revert}, c); diff != "" {
			t.Error(diff)
		}
	}
}

func TestReferenceNoneIsNoCommit(t *testing.T) {
	t.Parallel()
	c, err := brakes.ParseConfig(map[string]any{"reference": "none"})
	if err != nil || !c.NoReference || c.Reference != "" {
		t.Errorf("got %+v and %v", c, err)
	}
}

func TestEveryFaultIsFoundWithItsKey(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		v    any
		want []string
	}{
		"not a map":      {"fast", []string{""}},
		"unknown keys":   {map[string]any{"round": 1, "budget": 2}, []string{"budget", "round"}},
		"rounds":         {map[string]any{"rounds": 0}, []string{"rounds"}},
		"not whole":      {map[string]any{"rounds": json.Number("1.5")}, []string{"rounds"}},
		"not a number":   {map[string]any{"rounds": true, "budget_usd": "ten", "budget_tokens": nil}, []string{"rounds", "budget_usd", "budget_tokens"}},
		"too large":      {map[string]any{"rounds": json.Number("99999999999999999999")}, []string{"rounds"}},
		"negative":       {map[string]any{"budget_usd": -1, "budget_tokens": -1, "budget_minutes": -1}, []string{"budget_usd", "budget_tokens", "budget_minutes"}},
		"zero":           {map[string]any{"budget_usd": 0}, []string{"budget_usd"}},
		"NaN":            {map[string]any{"budget_usd": "NaN", "budget_minutes": "Infinity"}, []string{"budget_usd", "budget_minutes"}},
		"words":          {map[string]any{"on_unknown_cost": "stop", "on_regression": true}, []string{"on_unknown_cost", "on_regression"}},
		"anomaly":        {map[string]any{"cost_anomaly": map[string]any{"sigma": 0, "min_rounds": 0, "floor": "-1%", "window": 3}}, []string{"cost_anomaly.window", "cost_anomaly.sigma", "cost_anomaly.min_rounds", "cost_anomaly.floor"}},
		"anomaly list":   {map[string]any{"cost_anomaly": []any{3}}, []string{"cost_anomaly"}},
		"duration":       {map[string]any{"stale_after": "soon"}, []string{"stale_after"}},
		"no wait":        {map[string]any{"stale_after": "0s"}, []string{"stale_after"}},
		"failing":        {map[string]any{"failing": map[string]any{"format": "xml"}}, []string{"failing.format", "failing.command"}},
		"failing null":   {map[string]any{"failing": nil}, []string{"failing.command", "failing.format"}},
		"failing text":   {map[string]any{"failing": "make failing"}, []string{"failing"}},
		"once is none":   {map[string]any{"same_failure_rounds": 1}, []string{"same_failure_rounds"}},
		"one trial":      {map[string]any{"probe": 1}, []string{"probe"}},
		"reference":      {map[string]any{"reference": ""}, []string{"reference"}},
		"outside":        {map[string]any{"protect": []any{"../x", "/etc", "", 3, "[a"}}, []string{"protect.0", "protect.1", "protect.2", "protect.3", "protect.4"}},
		"no limit":       {map[string]any{"comprehension": map[string]any{}}, []string{"comprehension.max_unread"}},
		"several at all": {map[string]any{"rounds": -1, "probe": "x", "bogus": 1}, []string{"bogus", "rounds", "probe"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := brakes.ParseConfig(c.v)
			var fault *brakes.ConfigError
			if !errors.As(err, &fault) {
				t.Fatalf("got %v", err)
			}
			var paths []string
			for _, f := range fault.Findings {
				paths = append(paths, f.Path)
				if f.Message == "" {
					t.Errorf("%s has no message", f.Path)
				}
			}
			if diff := cmp.Diff(c.want, paths); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestSharesAreReadAsPercentOrFraction(t *testing.T) {
	t.Parallel()
	for _, v := range []any{"10%", "10 %", "0.1", json.Number("0.1"), 0.1} {
		c, err := brakes.ParseConfig(map[string]any{"cost_anomaly": map[string]any{"floor": v}})
		if err != nil || c.Anomaly.Floor != 0.1 {
			t.Errorf("%v: got %+v and %v", v, c.Anomaly, err)
		}
	}
	c, err := brakes.ParseConfig(map[string]any{"cost_anomaly": false})
	if err != nil || c.Anomaly != nil {
		t.Errorf("false: got %+v and %v", c.Anomaly, err)
	}
}

func TestUnknownUsageIsCountedApart(t *testing.T) {
	t.Parallel()
	usd := func(n float64) *float64 { return &n }
	tokens := func(n int64) *int64 { return &n }
	var s brakes.Spend
	for _, u := range []brakes.Usage{
		{USD: usd(0.5), Tokens: tokens(10)}, {}, {USD: usd(0)}, {USD: usd(-1), Tokens: tokens(-1)}, {USD: usd(math.NaN())}, {USD: usd(math.Inf(1))},
	} {
		s = s.Call(u)
	}
	if diff := cmp.Diff(brakes.Spend{USD: 0.5, Tokens: 10, UnknownUSD: 4, UnknownTokens: 5}, s); diff != "" {
		t.Error(diff)
	}
	if got := s.Add(brakes.Spend{Tokens: math.MaxInt64}).Tokens; got != math.MaxInt64 {
		t.Errorf("the sum overflows to %d", got)
	}
}

func TestTheAnomalyComparesWithTheRoundsBefore(t *testing.T) {
	t.Parallel()
	c := config(t, map[string]any{"cost_anomaly": map[string]any{"sigma": 3, "min_rounds": 3, "floor": "10%"}})
	unpriced := func(tokens int64) brakes.Spend { return brakes.Spend{UnknownUSD: 1, Tokens: tokens} }
	for name, x := range map[string]struct {
		spends []brakes.Spend
		round  int // 0: no anomaly
	}{
		"too few before":               {[]brakes.Spend{{USD: 1}, {USD: 1}, {USD: 100}}, 0},
		"at the floor's limit":         {[]brakes.Spend{{USD: 1}, {USD: 1}, {USD: 1}, {USD: 1.3}}, 0},
		"above it":                     {[]brakes.Spend{{USD: 1}, {USD: 1}, {USD: 1}, {USD: 1.31}}, 4},
		"a wide spread":                {[]brakes.Spend{{USD: 1}, {USD: 5}, {USD: 9}, {USD: 14}}, 0},
		"a fall is none":               {[]brakes.Spend{{USD: 9}, {USD: 9}, {USD: 9}, {USD: 1}}, 0},
		"from nothing":                 {[]brakes.Spend{{}, {}, {}, {USD: 1}}, 0},
		"tokens without prices":        {[]brakes.Spend{unpriced(10), unpriced(10), unpriced(10), unpriced(900)}, 4},
		"unpriced rounds do not count": {[]brakes.Spend{{USD: 1}, unpriced(0), {USD: 1}, {USD: 50}, {USD: 1}}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := brakes.New(c, brakes.State{})
			round := 0
			for i, s := range x.spends {
				if d := e.Observe(brakes.Round{Number: i + 1, Verdict: brakes.Continue, Spend: s}); d.Halt != nil {
					round = i + 1
					break
				}
			}
			if round != x.round {
				t.Errorf("halts in round %d, want %d", round, x.round)
			}
		})
	}
}
