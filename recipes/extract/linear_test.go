package extract_test

import (
	"strings"
	"testing"
	"time"

	"github.com/brickoven/brickoven/recipes/extract"
)

// hostile texts make a finder that starts over at every brace take quadratic
// time.
func hostile() map[string]string {
	return map[string]string{
		"braces":           "{",
		"brackets":         "[",
		"open objects":     `{"a":`,
		"open texts":       `{"`,
		"open lists":       `["{",`,
		"closed objects":   `{}`,
		"quotes":           `"`,
		"escapes":          `{"\`,
		"fences":           "```\n{\n```\n",
		"open fences":      "```a\n",
		"both phases":      `["{"[`,
		"shadows":          `{"{":[`,
		"spaces and lists": "     [1]",
		"closing":          "[[[[[[[[]]]]]]]",
	}
}

// TestFindIsLinear compares the time of sixteen times the text with the time of
// the text, so that the speed of the machine does not matter. Quadratic work
// takes 256 times as long in every round; a linear finder on a busy machine
// needs one quiet round only.
func TestFindIsLinear(t *testing.T) {
	const rounds, most = 10, 64
	for name, unit := range hostile() {
		for _, field := range []string{"", "a"} {
			t.Run(name+"/"+field, func(t *testing.T) {
				small := strings.Repeat(unit, 1<<15/len(unit))
				large := strings.Repeat(small, 16)
				ratio := 0.0
				for range rounds {
					ratio = elapsed(large, field) / elapsed(small, field)
					if ratio <= most {
						return
					}
				}
				t.Errorf("sixteen times the text takes %.0f times as long", ratio)
			})
		}
	}
}

func elapsed(text, field string) float64 {
	start := time.Now()
	extract.Find(text, extract.Options{RequireField: field})
	return float64(time.Since(start))
}
