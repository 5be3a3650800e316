package doomloop

import (
	"fmt"
	"time"
)

// Config sets the thresholds. Zero turns a detector off.
type Config struct {
	// RepeatedAction is how many times in a row the same action with the same
	// arguments may end in the same way.
	RepeatedAction int
	// RepeatedFailure is how many failures in a row may have the same error.
	RepeatedFailure int
	// RecurringFailure is how often the same action with the same arguments may
	// fail with the same error while other steps go well in between.
	RecurringFailure int
	// RepeatedOutput is how many events in a row may give the same output,
	// whatever was called.
	RepeatedOutput int
	// MinOutput is the size in bytes from which outputs are compared for
	// RepeatedOutput; "ok" and alike say nothing.
	MinOutput int64
	// CycleRepeats is how many times a cycle of two or more events must have
	// run, the first time included; at least 2.
	CycleRepeats int
	// MaxPeriod is the longest cycle in events that is looked for.
	MaxPeriod int
	// NoProgress is how many events in a row may show nothing new.
	NoProgress int
	// CircularPlan is how many times in a row the plan may change back to one
	// that was given up before.
	CircularPlan int
	// PatientWait is the wait from which the same call with the same outcome is
	// a retry that waits, and no further repetition.
	PatientWait time.Duration

	// The limits of a run; zero means none. They have no default, because a
	// long run is not a loop until its author says how long is too long.
	MaxEvents  int
	MaxElapsed time.Duration
	MaxTokens  int64
	MaxCostUSD float64
}

// Default returns the thresholds that are used where nobody sets any.
func Default() Config {
	return Config{
		RepeatedAction:   3,
		RepeatedFailure:  3,
		RecurringFailure: 6,
		RepeatedOutput:   4,
		MinOutput:        64,
		CycleRepeats:     2,
		MaxPeriod:        32,
		NoProgress:       10,
		CircularPlan:     2,
		PatientWait:      time.Second,
	}
}

// DefaultTools returns the thresholds for the tool calls of one agent call. An
// agent looks at the same thing more often than a recipe does: reading a file
// again, or running the tests again, is how it works.
func DefaultTools() Config {
	c := Default()
	c.RepeatedAction, c.RepeatedFailure, c.RecurringFailure = 5, 5, 10
	c.RepeatedOutput, c.CycleRepeats, c.NoProgress = 8, 3, 20
	return c
}

// ConfigError is a threshold that cannot be meant. Field is its key, one of
// [Keys] or doom_loop for all of them.
type ConfigError struct {
	Field   string
	Message string
}

func (e *ConfigError) Error() string { return fmt.Sprintf("doom loops: %s %s", e.Field, e.Message) }

const mostPeriod = 1000

func (c Config) check() error {
	for _, threshold := range []struct {
		name     string
		n, least int64
	}{
		{"repeated_action", int64(c.RepeatedAction), 2},
		{"repeated_failure", int64(c.RepeatedFailure), 2},
		{"recurring_failure", int64(c.RecurringFailure), 2},
		{"repeated_output", int64(c.RepeatedOutput), 2},
		{"min_output_bytes", c.MinOutput, 0},
		{"cycle_repeats", int64(c.CycleRepeats), 2},
		{"max_period", int64(c.MaxPeriod), 2},
		{"no_progress", int64(c.NoProgress), 1},
		{"circular_plan", int64(c.CircularPlan), 1},
		{"patient_wait", int64(c.PatientWait), 0},
		{"max_events", int64(c.MaxEvents), 0},
		{"max_minutes", int64(c.MaxElapsed), 0},
		{"max_tokens", c.MaxTokens, 0},
	} {
		if threshold.n != 0 && threshold.n < threshold.least {
			return &ConfigError{threshold.name, fmt.Sprintf("is %d; use 0 for off, or at least %d", threshold.n, threshold.least)}
		}
	}
	// The memory of the search for cycles is their product.
	for name, n := range map[string]int{"max_period": c.MaxPeriod, "cycle_repeats": c.CycleRepeats} {
		if n > mostPeriod {
			return &ConfigError{name, fmt.Sprintf("is %d; use at most %d", n, mostPeriod)}
		}
	}
	if !(c.MaxCostUSD >= 0) {
		return &ConfigError{"max_cost_usd", "must be 0 or more"}
	}
	return nil
}
