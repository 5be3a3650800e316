package doomloop

import (
	"fmt"
	"math/big"
	"slices"
	"strings"
	"time"

	"github.com/brickoven/brickoven/recipes/value"
)

// Keys lists the keys of a map that [ParseConfig] reads, sorted.
func Keys() []string {
	var c Config
	var keys []string
	for _, k := range c.keys() {
		keys = append(keys, k.name)
	}
	slices.Sort(keys)
	return keys
}

// key is one threshold with where it goes; one of the pointers is set.
type key struct {
	name    string
	count   *int
	size    *int64
	wait    *time.Duration
	minutes *time.Duration
	amount  *float64
}

func (c *Config) keys() []key {
	return []key{
		{name: "repeated_action", count: &c.RepeatedAction},
		{name: "repeated_failure", count: &c.RepeatedFailure},
		{name: "recurring_failure", count: &c.RecurringFailure},
		{name: "repeated_output", count: &c.RepeatedOutput},
		{name: "min_output_bytes", size: &c.MinOutput},
		{name: "cycle_repeats", count: &c.CycleRepeats},
		{name: "max_period", count: &c.MaxPeriod},
		{name: "no_progress", count: &c.NoProgress},
		{name: "circular_plan", count: &c.CircularPlan},
		{name: "patient_wait", wait: &c.PatientWait},
		{name: "max_events", count: &c.MaxEvents},
		{name: "max_minutes", minutes: &c.MaxElapsed},
		{name: "max_tokens", size: &c.MaxTokens},
		{name: "max_cost_usd", amount: &c.MaxCostUSD},
	}
}

// ParseConfig reads thresholds from a value: true is base, false and null turn
// every detector off, and a map changes single thresholds of base by the names
// that [Keys] lists. Counts are whole numbers, patient_wait is seconds or a
// duration such as 2m, and 0 turns a detector off; a number may be written as a
// text. The error is a [*ConfigError].
func ParseConfig(v any, base Config) (Config, error) {
	switch v := v.(type) {
	case nil:
		return Config{}, nil
	case bool:
		if v {
			return base, nil
		}
		return Config{}, nil
	case map[string]any:
		return parseMap(v, base)
	}
	return Config{}, &ConfigError{"doom_loop", "is " + value.JSON(v) + "; expected true, false or a map of thresholds"}
}

// ParseFlag reads thresholds as a command line gives them: on, off, or
// key=value pairs with commas between them.
func ParseFlag(text string, base Config) (Config, error) {
	switch strings.TrimSpace(text) {
	case "on":
		return base, nil
	case "off":
		return Config{}, nil
	}
	m := map[string]any{}
	for _, pair := range strings.Split(text, ",") {
		name, v, ok := strings.Cut(pair, "=")
		if !ok {
			return Config{}, &ConfigError{fmt.Sprintf("%q", text), "is none of on, off and key=value pairs"}
		}
		m[strings.TrimSpace(name)] = value.Guess(strings.TrimSpace(v))
	}
	return parseMap(m, base)
}

func parseMap(m map[string]any, c Config) (Config, error) {
	keys := c.keys()
	names := make([]string, 0, len(m))
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		i := slices.IndexFunc(keys, func(k key) bool { return k.name == name })
		if i < 0 {
			return Config{}, &ConfigError{name, "is no threshold; there are " + strings.Join(Keys(), ", ")}
		}
		if !keys[i].set(m[name]) {
			return Config{}, &ConfigError{name, "cannot be " + value.JSON(m[name])}
		}
	}
	return c, c.check()
}

// longest bounds durations, far below where they overflow.
const longest = 10 * 365 * 24 * time.Hour

// set reports whether v can be the value of the key.
func (k key) set(v any) bool {
	if text, isText := v.(string); isText && k.wait != nil {
		if d, err := time.ParseDuration(strings.TrimSpace(text)); err == nil {
			*k.wait = d
			return d >= 0 && d <= longest
		}
	}
	if text, isText := v.(string); isText {
		v = value.Guess(strings.TrimSpace(text))
	}
	number, isNumber := v.(value.Number)
	n, ok := value.Rational(number)
	if !isNumber || !ok || n.Sign() < 0 {
		return false
	}
	switch {
	case k.wait != nil:
		return within(n, time.Second, k.wait)
	case k.minutes != nil:
		return within(n, time.Minute, k.minutes)
	case k.amount != nil:
		*k.amount, _ = n.Float64()
		return true
	case !n.IsInt() || !n.Num().IsInt64():
		return false
	case k.size != nil:
		*k.size = n.Num().Int64()
		return true
	}
	*k.count = int(n.Num().Int64())
	return n.Num().Int64() <= 1<<30
}

func within(n *big.Rat, unit time.Duration, into *time.Duration) bool {
	f, _ := n.Float64()
	*into = time.Duration(f * float64(unit))
	return f <= longest.Seconds()*float64(time.Second)/float64(unit)
}
