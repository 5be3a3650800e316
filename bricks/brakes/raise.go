package brakes

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// limits are the brakes that a person may raise for a loop that they ended.
var limits = []string{"rounds", "budget_usd", "budget_tokens", "budget_minutes"}

// Raised is the config with other limits, given as in brakes:. The error is a
// [*ConfigError]; no other key can be given this way.
func (c Config) Raised(limit map[string]any) (Config, error) {
	invalid := &ConfigError{}
	for _, key := range slices.Sorted(maps.Keys(limit)) {
		if !slices.Contains(limits, key) {
			invalid.Findings = append(invalid.Findings, Finding{key, fmt.Sprintf("is no limit (there are %s)", strings.Join(limits, ", "))})
		}
	}
	if len(invalid.Findings) > 0 {
		return c, invalid
	}
	given, err := ParseConfig(limit)
	if err != nil {
		return c, err
	}
	for key := range limit {
		switch key {
		case "rounds":
			c.Rounds = given.Rounds
		case "budget_usd":
			c.BudgetUSD = given.BudgetUSD
		case "budget_tokens":
			c.BudgetTokens = given.BudgetTokens
		case "budget_minutes":
			c.BudgetTime = given.BudgetTime
		}
	}
	return c, nil
}
