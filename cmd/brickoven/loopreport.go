package main

import (
	"fmt"
	"strings"

	"github.com/brickoven/brickoven/recipes/value"
)

// loopReport tells people how a loop went, a line a round.
func loopReport(loop map[string]any) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s (%s), session %s\n", value.Text(loop["halt_reason"]), value.Text(loop["stop_reason"]), value.Text(loop["session"]))
	verdicts, _ := loop["verdicts"].([]any)
	for _, v := range verdicts {
		round, _ := v.(map[string]any)
		word := value.Text(round["loop_verdict"])
		seen := round["moved"]
		if word == "STUCK" {
			seen = round["not_converging"]
		}
		fmt.Fprintf(&b, "round %-3s %-8s %s\n", value.Text(round["round"]), word, oneLine(seen))
	}
	return strings.TrimRight(b.String(), "\n")
}

// oneLine joins a list of texts, or the lines of one.
func oneLine(v any) string {
	items, isList := v.([]any)
	if !isList {
		return strings.Join(strings.Fields(value.Text(v)), " ")
	}
	texts := make([]string, len(items))
	for i, item := range items {
		texts[i] = strings.Join(strings.Fields(value.Text(item)), " ")
	}
	return strings.Join(texts, "; ")
}
