package recipes

import (
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/brickoven/brickoven/recipes/value"
	"gopkg.in/yaml.v3"
)

const quotedStyles = yaml.DoubleQuotedStyle | yaml.SingleQuotedStyle | yaml.LiteralStyle | yaml.FoldedStyle

// scalarValue reads a scalar the way authors mean it (DESIGN section 2): what
// is quoted, or tagged !!str, stays text.
func scalarValue(node *yaml.Node) any {
	if node.Style&yaml.TaggedStyle != 0 {
		switch node.ShortTag() {
		case "!!int", "!!float", "!!bool", "!!null":
			return value.Authored(node.Value)
		}
		return node.Value
	}
	if node.Style&quotedStyles != 0 {
		return node.Value
	}
	return value.Authored(node.Value)
}

func isNull(node *yaml.Node) bool {
	return node.Kind == yaml.ScalarNode && scalarValue(node) == nil
}

// text reads a scalar as it was written; null is the empty text.
func (d *decoder) text(key string, node *yaml.Node) string {
	if node.Kind != yaml.ScalarNode {
		d.fail(node, "wrong-type", key+" must be a text, not "+kindName(node), "")
		return ""
	}
	if isNull(node) {
		return ""
	}
	return node.Value
}

// texts reads a list of texts, or one text as a list of one.
func (d *decoder) texts(key string, node *yaml.Node) []string {
	if isNull(node) {
		return nil
	}
	if node.Kind == yaml.ScalarNode {
		return []string{d.text(key, node)}
	}
	if node.Kind != yaml.SequenceNode {
		d.fail(node, "wrong-type", key+" must be a list of texts, not "+kindName(node), "")
		return nil
	}
	list := make([]string, 0, len(node.Content))
	for _, item := range node.Content {
		list = append(list, d.text("an entry of "+key, item))
	}
	return list
}

// flag reads true or false; quoted ones are taken too, as recipes in the wild
// write them. yes and no are refused, because YAML readers disagree on them.
func (d *decoder) flag(key string, node *yaml.Node) bool {
	if node.Kind == yaml.ScalarNode {
		switch strings.TrimSpace(node.Value) {
		case "true", "True", "TRUE":
			return true
		case "false", "False", "FALSE":
			return false
		}
	}
	if isNull(node) {
		return false
	}
	hint := ""
	switch strings.ToLower(node.Value) {
	case "yes", "on", "y", "1":
		hint = "write true"
	case "no", "off", "n", "0":
		hint = "write false"
	}
	d.fail(node, "wrong-type", key+" must be true or false, not "+kindName(node), hint)
	return false
}

// count reads a whole number that is not negative; nothing is 0.
func (d *decoder) count(key string, node *yaml.Node) int {
	if isNull(node) {
		return 0
	}
	if node.Kind == yaml.ScalarNode && value.IsPlainDecimal(node.Value) {
		if n, err := strconv.Atoi(node.Value); err == nil && n >= 0 {
			return n
		}
	}
	d.fail(node, "wrong-type", key+" must be a whole number of 0 or more, not "+kindName(node), "")
	return 0
}

// factor reads a number of 1 or more.
func (d *decoder) factor(key string, node *yaml.Node) float64 {
	if node.Kind == yaml.ScalarNode {
		if node.Value == "exponential" {
			return 2
		}
		if f, err := strconv.ParseFloat(node.Value, 64); err == nil && f >= 1 && f <= 1e6 {
			return f
		}
	}
	d.fail(node, "wrong-type", key+" must be a number of 1 or more, not "+kindName(node), "")
	return 0
}

// duration reads seconds, as a number or a text, or a text such as 10m or 1h30m.
func (d *decoder) duration(key string, node *yaml.Node) Duration {
	if isNull(node) {
		return 0
	}
	if node.Kind == yaml.ScalarNode {
		if span, ok := ParseDuration(node.Value); ok {
			return span
		}
	}
	d.fail(node, "wrong-type", key+" must be a time span, not "+kindName(node),
		"write seconds (90) or a text such as 90s, 10m or 1h30m")
	return 0
}

// ParseDuration reads a time span as recipes write it: a number of seconds (90,
// 1.5) or a text such as 90s, 10m, 1h30m or 1d. ok is false for anything else,
// negative spans and spans of more than 290 years included.
func ParseDuration(text string) (span Duration, ok bool) {
	text = strings.TrimSpace(text)
	if value.IsPlainDecimal(text) {
		seconds, err := strconv.ParseFloat(text, 64)
		if err != nil || seconds < 0 || seconds > math.MaxInt64/float64(time.Second)-1 {
			return 0, false
		}
		return Duration(seconds * float64(time.Second)), true
	}
	days := Duration(0)
	if whole, rest, found := strings.Cut(text, "d"); found {
		n, err := strconv.ParseUint(whole, 10, 16)
		if err != nil {
			return 0, false
		}
		days, text = Duration(n)*24*time.Hour, rest
		if text == "" {
			return days, true
		}
	}
	span, err := time.ParseDuration(strings.ReplaceAll(text, " ", ""))
	if err != nil || span < 0 || span > math.MaxInt64-days {
		return 0, false
	}
	return days + span, true
}

// value reads any YAML as a value.
func (d *decoder) value(node *yaml.Node) any {
	switch node.Kind {
	case yaml.MappingNode:
		m := make(map[string]any, len(node.Content)/2)
		for key, item := range entries(node) {
			m[key.Value] = d.value(item)
		}
		return m
	case yaml.SequenceNode:
		list := make([]any, len(node.Content))
		for i, item := range node.Content {
			list[i] = d.value(item)
		}
		return list
	}
	if tag := node.ShortTag(); node.Style&yaml.TaggedStyle != 0 && !knownTags[tag] {
		d.fail(node, "unknown-tag", "the tag "+tag+" has no meaning in a recipe", "remove it")
	}
	return scalarValue(node)
}

var knownTags = map[string]bool{"!!str": true, "!!int": true, "!!float": true, "!!bool": true, "!!null": true, "!!timestamp": true}
