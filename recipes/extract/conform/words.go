package conform

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/brickoven/brickoven/recipes/value"
)

// quote writes a text in single quotes, as the messages have it.
func quote(text string) string {
	text = strconv.Quote(text)
	text = strings.ReplaceAll(text[1:len(text)-1], `\"`, `"`)
	return "'" + strings.ReplaceAll(text, "'", `\'`) + "'"
}

// oneOfWords says which values are wanted, where they are short.
func oneOfWords(list []any) string {
	words := make([]string, len(list))
	for i, v := range list {
		switch v := v.(type) {
		case string:
			words[i] = quote(v)
		case []any, map[string]any:
			return "value is none of those wanted"
		default:
			words[i] = value.JSON(v)
		}
	}
	if len(words) == 1 {
		return "value must be " + words[0]
	}
	return "value must be one of " + strings.Join(words, ", ")
}

// canonical is a text that values have in common exactly if they are the same.
func canonical(v any) string {
	switch v := v.(type) {
	case value.Number:
		if n, ok := number(v); ok {
			return n.RatString()
		}
	case []any:
		parts := make([]string, len(v))
		for i, item := range v {
			parts[i] = canonical(item)
		}
		return "[" + strings.Join(parts, ",") + "]"
	case map[string]any:
		var parts []string
		for _, key := range slices.Sorted(maps.Keys(v)) {
			parts = append(parts, strconv.Quote(key)+":"+canonical(v[key]))
		}
		return "{" + strings.Join(parts, ",") + "}"
	}
	return value.JSON(v)
}
