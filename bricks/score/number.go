package score

import (
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/brickoven/brickoven/recipes/value"
)

func normalised(word string) string { return strings.ToLower(strings.TrimSpace(word)) }

// rational reads a number exactly. message says what is wrong with one that is
// no number or not finite.
func rational(n value.Number) (exact *big.Rat, message string) {
	exact, ok := value.Rational(n)
	if ok {
		if f, _ := exact.Float64(); !math.IsInf(f, 0) {
			return exact, ""
		}
		return nil, fmt.Sprintf("is %s, which is infinite as a number of the machine", n)
	}
	if f, err := strconv.ParseFloat(n.String(), 64); err != nil && math.IsInf(f, 0) {
		return nil, fmt.Sprintf("is %s, which is infinite as a number of the machine", n)
	}
	return nil, fmt.Sprintf("is %s, which is no finite decimal number", value.JSON(n.String()))
}

// difference is to−from rounded to four decimals, computed in binary floating
// point like the original's, so that the digits agree with what people compare
// them to.
func difference(from, to value.Number) value.Number {
	a, errA := from.Float64()
	b, errB := to.Float64()
	delta := b - a
	if errA != nil || errB != nil || math.IsInf(delta, 0) {
		x, _ := value.Rational(from)
		y, _ := value.Rational(to)
		return decimal(new(big.Rat).Sub(y, x), 4)
	}
	return trimmed(strconv.FormatFloat(delta, 'f', 4, 64))
}

// decimal prints n with at most the given number of decimals.
func decimal(n *big.Rat, places int) value.Number { return trimmed(n.FloatString(places)) }

func trimmed(text string) value.Number {
	if strings.Contains(text, ".") {
		text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	}
	if text == "-0" {
		text = "0"
	}
	return value.Number(text)
}

// sum adds numbers; ok is false as soon as one is unknown.
func sum(numbers []value.Number) (total *big.Rat, ok bool) {
	total = new(big.Rat)
	for _, n := range numbers {
		exact, known := value.Rational(n)
		if !known {
			return nil, false
		}
		total.Add(total, exact)
	}
	return total, true
}

// orNull keeps an unknown number from being written as 0.
func orNull(n value.Number) *json.Number {
	if n == "" {
		return nil
	}
	return &n
}

// ParseThreshold reads a threshold that a person typed: a finite number as JSON
// writes it. The text is kept.
func ParseThreshold(text string) (value.Number, error) {
	v, err := value.Parse(strings.TrimSpace(text))
	if n, ok := v.(value.Number); ok && err == nil {
		if _, message := rational(n); message == "" {
			return n, nil
		}
	}
	return "", fmt.Errorf("threshold %q is no finite decimal number, such as 8 or 7.5", text)
}

// Sum adds numbers, to six decimals; known is false as soon as one is none.
func Sum(numbers []value.Number) (total value.Number, known bool) {
	exact, known := sum(numbers)
	if !known {
		return "", false
	}
	return decimal(exact, 6), true
}
