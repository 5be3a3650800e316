package main

import (
	"fmt"
	"strings"

	"github.com/brickoven/brickoven/bricks/brakes"
	"github.com/brickoven/brickoven/recipes/value"
	"github.com/brickoven/brickoven/runner/exit"
)

// raisedLimits reads the values of resume --raise.
func raisedLimits(given []string) (map[string]any, error) {
	limits := map[string]any{}
	for _, text := range given {
		key, limit, ok := strings.Cut(text, "=")
		if !ok {
			return nil, &failure{exit.Usage, fmt.Errorf("--raise %s: write KEY=N", text)}
		}
		limits[key] = value.Guess(limit)
	}
	if _, err := (brakes.Config{}).Raised(limits); err != nil {
		return nil, &failure{exit.Usage, fmt.Errorf("--raise: %w", err)}
	}
	return limits, nil
}
