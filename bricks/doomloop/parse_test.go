package doomloop

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/brickoven/brickoven/recipes/value"
)

func TestThresholdsAreReadFromAValue(t *testing.T) {
	t.Parallel()
	changed := func(change func(*Config)) Config {
		c := Default()
		change(&c)
		return c
	}
	for text, want := range map[string]Config{
		`true`:                                 {},
		`{}`:                                   Default(),
		`null`:                                 {},
		`false`:                                {},
		`{"cycle_repeats": "4"}`:               changed(func(c *Config) { c.CycleRepeats = 4 }),
		`{"no_progress": 0}`:                   changed(func(c *Config) { c.NoProgress = 0 }),
		`{"patient_wait": "2m"}`:               changed(func(c *Config) { c.PatientWait = 2 * time.Minute }),
		`{"patient_wait": "1.5"}`:              changed(func(c *Config) { c.PatientWait = 1500 * time.Millisecond }),
		`{"max_minutes": 90, "max_tokens": 7}`: changed(func(c *Config) { c.MaxElapsed, c.MaxTokens = 90*time.Minute, 7 }),
		`{"max_cost_usd": 0.5}`:                changed(func(c *Config) { c.MaxCostUSD = 0.5 }),
		`{"min_output_bytes": 1, "max_events": 9}`: changed(func(c *Config) { c.MinOutput, c.MaxEvents = 1, 9 }),
	} {
		if text == `true` {
			want = Default()
		}
		v, err := value.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		got, err := ParseConfig(v, Default())
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%s: %v (-want +got):\n%s", text, err, diff)
		}
	}
}

func TestThresholdsThatAreNoneAreRefused(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`"on"`:                      `doom_loop is "on"`,
		`[1]`:                       "doom_loop is [1]",
		`{"cycles": 3}`:             "cycles is no threshold; there are circular_plan, cycle_repeats",
		`{"cycle_repeats": 1}`:      "cycle_repeats is 1",
		`{"cycle_repeats": 1e10}`:   "cycle_repeats cannot be 1e10",
		`{"cycle_repeats": 5000}`:   "use at most 1000",
		`{"max_period": 1000000}`:   "use at most 1000",
		`{"no_progress": -1}`:       "no_progress cannot be -1",
		`{"no_progress": 1.5}`:      "no_progress cannot be 1.5",
		`{"no_progress": "three"}`:  `no_progress cannot be "three"`,
		`{"no_progress": null}`:     "no_progress cannot be null",
		`{"patient_wait": "soon"}`:  `patient_wait cannot be "soon"`,
		`{"patient_wait": "-1s"}`:   `patient_wait cannot be "-1s"`,
		`{"max_minutes": 99999999}`: "max_minutes cannot be 99999999",
	} {
		v, err := value.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		var fault *ConfigError
		if _, err := ParseConfig(v, Default()); !errors.As(err, &fault) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

func TestThresholdsAreReadFromACommandLine(t *testing.T) {
	t.Parallel()
	base := DefaultTools()
	raised := base
	raised.CycleRepeats, raised.PatientWait = 7, time.Minute
	for text, want := range map[string]Config{
		"on": base, " off ": {}, "cycle_repeats=7, patient_wait = 1m": raised,
	} {
		if got, err := ParseFlag(text, base); err != nil || got != want {
			t.Errorf("%q: %+v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "yes", "cycle_repeats", "cycle_repeats=x", "on,off"} {
		if _, err := ParseFlag(text, base); err == nil {
			t.Errorf("%q was read", text)
		}
	}
	if keys := Keys(); len(keys) != 14 || !slices.IsSorted(keys) {
		t.Errorf("keys %v", keys)
	}
}
