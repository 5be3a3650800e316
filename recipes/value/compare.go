package value

import (
	"math/big"
	"strings"
)

// Truth is the truth of a value in a condition: null, false, 0, "", [] and {}
// are false, every other value is true. The text "false" is true (DESIGN
// section 4). A [Ref] stands for a large text and is true.
func Truth(v any) bool {
	switch v := v.(type) {
	case nil:
		return false
	case bool:
		return v
	case string:
		return v != ""
	case Number:
		mantissa, _, _ := cutExponent(v.String())
		return strings.ContainsAny(mantissa, "123456789")
	case []any:
		return len(v) > 0
	case map[string]any:
		return len(v) > 0
	}
	return true
}

// Equal compares as conditions do: null equals only null, numbers and numeric
// strings compare as numbers, a bool equals the texts true/True or false/False,
// lists and maps compare item by item, anything else by its text.
func Equal(a, b any) bool {
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	if eq, ok := equalContainers(a, b); ok {
		return eq
	}
	if x, ok := a.(bool); ok {
		return boolEqual(x, b)
	}
	if y, ok := b.(bool); ok {
		return boolEqual(y, a)
	}
	if x, ok := Rational(a); ok {
		if y, ok := Rational(b); ok {
			return x.Cmp(y) == 0
		}
	}
	return Text(a) == Text(b)
}

func boolEqual(x bool, other any) bool {
	switch y := other.(type) {
	case bool:
		return x == y
	case string:
		if x {
			return y == "true" || y == "True"
		}
		return y == "false" || y == "False"
	}
	return false
}

func equalContainers(a, b any) (equal, ok bool) {
	switch x := a.(type) {
	case []any:
		y, isList := b.([]any)
		if !isList {
			return false, false
		}
		if len(x) != len(y) {
			return false, true
		}
		for i := range x {
			if !Equal(x[i], y[i]) {
				return false, true
			}
		}
		return true, true
	case map[string]any:
		y, isMap := b.(map[string]any)
		if !isMap {
			return false, false
		}
		if len(x) != len(y) {
			return false, true
		}
		for key, item := range x {
			other, has := y[key]
			if !has || !Equal(item, other) {
				return false, true
			}
		}
		return true, true
	}
	return false, false
}

// Compare orders two values as conditions do: number-like texts numerically,
// other scalars by their text. ok is false for null, lists, maps and
// references, which have no order.
func Compare(a, b any) (order int, ok bool) {
	if !IsScalar(a) || !IsScalar(b) {
		return 0, false
	}
	if x, isNumber := Rational(a); isNumber {
		if y, isNumber := Rational(b); isNumber {
			return x.Cmp(y), true
		}
	}
	return strings.Compare(Text(a), Text(b)), true
}

// maxNumberText bounds the work that one number may cause: 1e999999999 is a
// short text and an endless integer.
const maxNumberText = 400

// Rational reads a number, or a string that is one as a whole, exactly. ok is
// false for everything else and for numbers too large to be worth comparing.
func Rational(v any) (n *big.Rat, ok bool) {
	var text string
	switch v := v.(type) {
	case Number:
		text = v.String()
	case string:
		text = strings.TrimSpace(v)
	default:
		return nil, false
	}
	if !looksNumeric(text) {
		return nil, false
	}
	return new(big.Rat).SetString(text)
}

// looksNumeric admits what JSON admits, with a leading plus or zeros allowed,
// and at most three digits of exponent.
func looksNumeric(text string) bool {
	if text == "" || len(text) > maxNumberText {
		return false
	}
	mantissa, exponent, hasExponent := cutExponent(text)
	if hasExponent {
		exponent = strings.TrimLeft(exponent, "+-")
		if !allDigits(exponent) || len(exponent) > 3 {
			return false
		}
	}
	mantissa = strings.TrimLeft(mantissa, "+-")
	whole, fraction, dotted := strings.Cut(mantissa, ".")
	if len(text)-len(exponent)-len(mantissa) > 3 || !allDigits(whole) {
		return false
	}
	return !dotted || allDigits(fraction)
}

func cutExponent(text string) (mantissa, exponent string, found bool) {
	if i := strings.IndexAny(text, "eE"); i >= 0 {
		return text[:i], text[i+1:], true
	}
	return text, "", false
}
