// Package guard recognises the events of doom-loop guards. It is the one
// recogniser of the project: the loop score, the brakes and the reports ask
// it, so that they never disagree on whether a guard fired.
//
// An event is any JSON value of [recipes/value]; guards of many makes write
// them, so the recogniser goes by shape and not by source (seed 003,
// "Recognised Guard-Event Shapes"). Nothing here keeps state; every function
// may be called from several goroutines.
package guard

import (
	"strings"

	"github.com/brickoven/brickoven/recipes/value"
)

// Rule names the shape by which an event was read.
type Rule string

// The rules, in the order in which they are tried. The first that applies
// decides, also when it decides that no doom loop is there.
const (
	// RuleIsLoop is a boolean is_loop.
	RuleIsLoop Rule = "is_loop"
	// RuleLoopType is the presence of a loop_type that is not null.
	RuleLoopType Rule = "loop_type"
	// RuleFlag is a boolean doom_loop or doom_loop_fired; one true is enough.
	RuleFlag Rule = "doom_loop_flag"
	// RuleMarker is a type or event that is one of the words of [IsMarker].
	RuleMarker Rule = "marker"
	// RuleDecision is the action of a guard's decision, or its code where the
	// action says nothing.
	RuleDecision Rule = "decision"
	// RuleStuck is a boolean stuck, or the level of a named detector.
	RuleStuck Rule = "stuck"
	// RuleNone is an event that no rule reads: an intervention, and no more.
	RuleNone Rule = "none"
)

// Recognition is what one event says.
type Recognition struct {
	// DoomLoop tells that the guard found a doom loop.
	DoomLoop bool `json:"doom_loop"`
	// Rule is the rule that decided.
	Rule Rule `json:"rule"`
	// Kind is the word that was read: the loop's type, the marker, the action
	// or code, the detector or level; empty where the rule has no word.
	Kind string `json:"kind,omitempty"`
	// Reason is the event's own explanation; empty when it gives none.
	Reason string `json:"reason,omitempty"`
	// Iteration is the round, from 1, that the event says it belongs to; 0 when
	// it says none.
	Iteration int `json:"iteration,omitempty"`
}

// Recognise reads one event. Words are compared trimmed and without regard to
// case; null counts as absent; only real booleans count as booleans, so the
// text "false" is neither true nor false.
func Recognise(event any) Recognition {
	fields, ok := event.(map[string]any)
	if !ok {
		return Recognition{Rule: RuleNone}
	}
	r := Recognition{Rule: RuleNone}
	for _, rule := range []func(map[string]any) (Recognition, bool){
		byIsLoop, byLoopType, byFlag, byMarker, byDecision, byStuck,
	} {
		if found, applies := rule(fields); applies {
			r = found
			break
		}
	}
	r.Reason = firstText(fields, "reason", "message", "description")
	r.Iteration = iteration(fields)
	return r
}

func byIsLoop(fields map[string]any) (Recognition, bool) {
	isLoop, ok := fields["is_loop"].(bool)
	return Recognition{DoomLoop: isLoop, Rule: RuleIsLoop, Kind: word(fields["loop_type"])}, ok
}

func byLoopType(fields map[string]any) (Recognition, bool) {
	loopType := fields["loop_type"]
	return Recognition{DoomLoop: true, Rule: RuleLoopType, Kind: word(loopType)}, loopType != nil
}

// byFlag lets one true outweigh a false of the other name: the seed wants "a
// boolean that is truthy", whichever of the two it is.
func byFlag(fields map[string]any) (Recognition, bool) {
	applies := false
	for _, name := range []string{"doom_loop", "doom_loop_fired"} {
		flag, ok := fields[name].(bool)
		if flag {
			return Recognition{DoomLoop: true, Rule: RuleFlag, Kind: name}, true
		}
		applies = applies || ok
	}
	return Recognition{Rule: RuleFlag}, applies
}

func byMarker(fields map[string]any) (Recognition, bool) {
	for _, name := range []string{"type", "event"} {
		if marker := word(fields[name]); IsMarker(marker) {
			return Recognition{DoomLoop: true, Rule: RuleMarker, Kind: marker}, true
		}
	}
	return Recognition{}, false
}

// IsMarker reports whether word, in lower case, is one of the type or event
// values that mean a doom loop (seed 003).
func IsMarker(word string) bool {
	switch word {
	case "doom_loop", "doom-loop", "doomloop", "repetition", "loop_detected",
		"repeated_action", "repeated_failure", "no_progress", "circular_plan",
		"resource_exhaustion", "repeated_output":
		return true
	}
	return false
}

// byDecision reads what a guard decided about one call. A guard that only
// warns lets the loop go on: it suspects and has not fired, so a warning is an
// intervention without a doom loop. Blocking or halting is firing.
func byDecision(fields map[string]any) (Recognition, bool) {
	action, code := word(fields["action"]), word(fields["code"])
	kind := code
	if kind == "" {
		kind = action
	}
	switch action {
	case "block", "halt", "stop", "abort":
		return Recognition{DoomLoop: true, Rule: RuleDecision, Kind: kind}, true
	case "allow", "continue", "warn", "warning":
		return Recognition{Rule: RuleDecision, Kind: kind}, true
	}
	return Recognition{DoomLoop: true, Rule: RuleDecision, Kind: code}, IsMarker(code)
}

// byStuck reads the result of a detector. Its level is weighed like a
// decision's action: a warning is an intervention and no more. A level alone
// counts only beside a detector's name, because log lines have levels too.
func byStuck(fields map[string]any) (Recognition, bool) {
	stuck, hasStuck := fields["stuck"].(bool)
	level, detector := word(fields["level"]), word(fields["detector"])
	kind := detector
	if kind == "" {
		kind = level
	}
	r := Recognition{Rule: RuleStuck, Kind: kind}
	switch {
	case hasStuck:
		r.DoomLoop = stuck && !mildLevel(level)
		return r, true
	case detector != "" && level != "":
		r.DoomLoop = level == "critical"
		return r, true
	}
	return Recognition{}, false
}

func mildLevel(level string) bool {
	switch level {
	case "ok", "info", "warn", "warning":
		return true
	}
	return false
}

// word is a text trimmed and in lower case. An enumeration that was written as
// an object counts by its value; everything else is no word.
func word(v any) string {
	if object, ok := v.(map[string]any); ok {
		v = object["value"]
	}
	text, ok := v.(string)
	if !ok {
		return ""
	}
	return strings.ToLower(strings.TrimSpace(text))
}

func firstText(fields map[string]any, names ...string) string {
	for _, name := range names {
		if text, ok := fields[name].(string); ok && strings.TrimSpace(text) != "" {
			return strings.TrimSpace(text)
		}
	}
	return ""
}

// maxIteration keeps a number from outside from overflowing an int.
const maxIteration = 1 << 30

func iteration(fields map[string]any) int {
	for _, name := range []string{"iteration", "round"} {
		number, ok := fields[name].(value.Number)
		if !ok {
			continue
		}
		n, err := number.Int64()
		if err == nil && n > 0 && n <= maxIteration {
			return int(n)
		}
	}
	return 0
}
