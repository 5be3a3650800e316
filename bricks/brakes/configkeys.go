package brakes

import (
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/brickoven/brickoven/bricks/brakes/failing"
	"github.com/brickoven/brickoven/bricks/brakes/integrity"
	"github.com/brickoven/brickoven/recipes/value"
)

// most bounds whole numbers, so that sums of them cannot overflow.
const most = math.MaxInt32

func (r *reader) whole(e entry, least int64) int64 {
	n := r.number(e)
	if n == nil {
		return 0
	}
	limit := big.NewRat(most, 1)
	if e.key == "budget_tokens" {
		limit = big.NewRat(math.MaxInt64/2, 1)
	}
	if !n.IsInt() || n.Cmp(big.NewRat(least, 1)) < 0 || n.Cmp(limit) > 0 {
		r.fail(e.path, "%s is not a whole number from %d on", value.Text(e.value), least)
		return 0
	}
	return n.Num().Int64()
}

// positive reads a finite number above 0.
func (r *reader) positive(e entry) float64 {
	n := r.number(e)
	if n == nil {
		return 0
	}
	f, _ := n.Float64()
	if n.Sign() <= 0 || f == 0 || math.IsInf(f, 0) {
		r.fail(e.path, "%s is not a number above 0", value.Text(e.value))
		return 0
	}
	return f
}

// longest bounds durations, far below where they overflow.
const longest = 10 * 365 * 24 * time.Hour

func (r *reader) minutes(e entry) time.Duration {
	minutes := r.positive(e)
	if minutes > longest.Minutes() {
		r.fail(e.path, "%s minutes are too many", value.Text(e.value))
		return 0
	}
	return time.Duration(minutes * float64(time.Minute))
}

// duration reads a text such as 10m or 1h30m; a plain number is seconds.
func (r *reader) duration(e entry) time.Duration {
	text := value.Text(e.value)
	if n, ok := value.Rational(e.value); ok {
		seconds, _ := n.Float64()
		if seconds > 0 && seconds <= longest.Seconds() {
			return time.Duration(seconds * float64(time.Second))
		}
	} else if d, err := time.ParseDuration(strings.TrimSpace(text)); err == nil && d > 0 && d <= longest {
		return d
	}
	r.fail(e.path, "%q is not a duration above 0, such as 90s or 10m", text)
	return 0
}

func (r *reader) text(e entry) string {
	if !value.IsScalar(e.value) || strings.TrimSpace(value.Text(e.value)) == "" {
		r.fail(e.path, "must be a text")
		return ""
	}
	return strings.TrimSpace(value.Text(e.value))
}

func (r *reader) word(e entry, words ...string) string {
	word := value.Text(e.value)
	if !slices.Contains(words, word) {
		r.fail(e.path, "%q is none of %s", word, strings.Join(words, ", "))
		return ""
	}
	return word
}

// share reads 10% or 0.1.
func (r *reader) share(e entry) float64 {
	percent := entry{e.key, e.path, e.value}
	text, isText := e.value.(string)
	text, isPercent := strings.CutSuffix(strings.TrimSpace(text), "%")
	if isText && isPercent {
		percent.value = strings.TrimSpace(text)
	}
	n := r.number(percent)
	if n == nil {
		return 0
	}
	if isText && isPercent {
		n = new(big.Rat).Quo(n, big.NewRat(100, 1))
	}
	f, _ := n.Float64()
	if n.Sign() < 0 || math.IsInf(f, 0) {
		r.fail(e.path, "%s is not a share such as 10%% or 0.1", value.Text(e.value))
		return 0
	}
	return f
}

// anomaly reads the thresholds; a key that is left out, and true for all of
// them, takes the default of the seed. false is off.
func (r *reader) anomaly(e entry) *Anomaly {
	a := &Anomaly{Sigma: 3, MinRounds: 3, Floor: 0.1}
	if on, isBool := e.value.(bool); isBool {
		if on {
			return a
		}
		return nil
	}
	for _, e := range r.entries(e.path, e.value, []string{"sigma", "min_rounds", "floor"}) {
		switch e.key {
		case "sigma":
			a.Sigma = r.positive(e)
		case "min_rounds":
			a.MinRounds = int(r.whole(e, 1))
		case "floor":
			a.Floor = r.share(e)
		}
	}
	return a
}

func (r *reader) failing(e entry) (command string, format failing.Format) {
	found := map[string]bool{}
	for _, e := range r.entries(e.path, e.value, []string{"command", "format"}) {
		found[e.key] = true
		if e.key == "command" {
			command = r.text(e)
			continue
		}
		names := make([]string, 0, len(failing.Formats()))
		for _, f := range failing.Formats() {
			names = append(names, string(f))
		}
		format = failing.Format(r.word(e, names...))
	}
	for _, key := range []string{"command", "format"} {
		if _, isMap := e.value.(map[string]any); isMap && !found[key] || e.value == nil {
			r.fail(e.path+"."+key, "is missing")
		}
	}
	return command, format
}

// sameFailure reads how many equal sets in a row are too many; one alone is no
// repetition.
func (r *reader) sameFailure(e entry) int {
	n := int(r.whole(e, 0))
	if n == 1 {
		r.fail(e.path, "1 would end every loop in its first round; use 0 for off, or at least 2")
	}
	return n
}

func (r *reader) patterns(e entry) []integrity.Pattern {
	list, isList := e.value.([]any)
	if !isList {
		list = []any{e.value}
	}
	var patterns []integrity.Pattern
	for i, item := range list {
		path := e.path
		if isList {
			path += "." + strconv.Itoa(i)
		}
		text, isText := item.(string)
		if !isText {
			r.fail(path, "must be a path, not a %s", value.Kind(item))
			continue
		}
		pattern, err := integrity.ParsePattern(text)
		if err != nil {
			r.fail(path, "%v", err)
			continue
		}
		patterns = append(patterns, pattern)
	}
	return patterns
}

func (r *reader) comprehension(e entry) int {
	for _, e := range r.entries(e.path, e.value, []string{"max_unread"}) {
		return int(r.whole(e, 1))
	}
	if _, isMap := e.value.(map[string]any); isMap || e.value == nil {
		r.fail(e.path+".max_unread", "is missing")
	}
	return 0
}
