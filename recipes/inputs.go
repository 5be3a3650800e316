package recipes

import (
	"fmt"
	"slices"
	"strings"

	"github.com/brickoven/brickoven/recipes/value"
)

// typeFault says how v differs from what the input declares; empty when it does
// not. Texts are accepted where they read as the type, because values from the
// environment and from older recipes are texts.
func typeFault(input Input, v any) string {
	switch input.Type {
	case "number":
		if _, ok := value.Rational(v); !ok {
			return "must be a number, not " + describe(v)
		}
	case "boolean":
		if !isBool(v) {
			return "must be true or false, not " + describe(v)
		}
	case "choice":
		if !slices.Contains(input.Options, value.Text(v)) {
			return "must be one of " + strings.Join(input.Options, ", ") + ", not " + describe(v)
		}
	case "json":
		if text, ok := v.(string); ok {
			if _, err := value.Parse(text); err != nil {
				return "must be JSON, not " + describe(v)
			}
		}
	case "string":
		if v != nil && !value.IsScalar(v) {
			return "must be a text, not " + describe(v)
		}
	}
	return ""
}

func isBool(v any) bool {
	switch v := v.(type) {
	case bool:
		return true
	case string:
		return v == "true" || v == "false" || v == "True" || v == "False"
	}
	return false
}

func describe(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case map[string]any, []any, value.Ref:
		return "a " + value.Kind(v)
	}
	return fmt.Sprintf("%s %s", value.Kind(v), quoteShort(value.Text(v)))
}
