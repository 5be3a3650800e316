package expression

import (
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/brickoven/brickoven/recipes/value"
)

const (
	// maxBits bounds a whole number that a condition computes.
	maxBits = 1300
	// maxDigits bounds the decimals of an exact result; beyond them it is the
	// nearest float64.
	maxDigits = 34
	// maxPower bounds an exponent.
	maxPower = 1024
)

// integer is a Go integer as a value.
func integer(n int64) value.Number { return value.Number(strconv.FormatInt(n, 10)) }

// small reads a number of up to 18 digits without a fraction.
func small(n value.Number) (int64, bool) {
	if len(n) == 0 || len(n) > 18 {
		return 0, false
	}
	for i := range len(n) {
		if !isDigit(n[i]) && (i > 0 || n[i] != '-') {
			return 0, false
		}
	}
	v, err := strconv.ParseInt(n.String(), 10, 64)
	return v, err == nil
}

func compareWhole(a, b value.Number) (order int, ok bool) {
	x, okX := small(a)
	y, okY := small(b)
	switch {
	case !okX || !okY:
		return 0, false
	case x < y:
		return -1, true
	case x > y:
		return 1, true
	}
	return 0, true
}

// wholeNumber is a number that can be an index.
func wholeNumber(v any) (i int, ok bool) {
	n, ok := v.(value.Number)
	if !ok {
		return 0, false
	}
	if i, ok := small(n); ok && i >= math.MinInt32 && i <= math.MaxInt32 {
		return int(i), true
	}
	exact, ok := value.Rational(n)
	if !ok || !exact.IsInt() || exact.Num().BitLen() > 31 {
		return 0, false
	}
	return int(exact.Num().Int64()), true
}

// decimal prints an exact result as JSON has it: whole numbers without a point,
// other ones exactly where they end within 34 decimals and as the nearest
// float64 otherwise. ok is false for results too large to be worth printing.
func decimal(exact *big.Rat) (n value.Number, ok bool) {
	if exact.IsInt() {
		if exact.Num().BitLen() > maxBits {
			return "", false
		}
		return value.Number(exact.Num().String()), true
	}
	if digits, terminates := exact.FloatPrec(); terminates && digits <= maxDigits && exact.Num().BitLen() <= maxBits {
		return value.Number(exact.FloatString(digits)), true
	}
	nearest, _ := exact.Float64()
	if math.IsInf(nearest, 0) {
		return "", false
	}
	return value.Number(strconv.FormatFloat(nearest, 'f', -1, 64)), true
}

func result(exact *big.Rat) (any, error) {
	n, ok := decimal(exact)
	if !ok {
		return nil, failf("the result is too large")
	}
	return n, nil
}

// arithmetic is an operator on two numbers. A text is no number here, even one
// of digits: '5' + 1 has no meaning that everybody expects.
func arithmetic(verb string, compute func(a, b *big.Rat) (any, error)) operation {
	return func(args ...any) (any, error) {
		a, okA := exactNumber(args[0])
		b, okB := exactNumber(args[1])
		if okA && okB {
			return compute(a, b)
		}
		wrong := args[0]
		if okA {
			wrong = args[1]
		}
		return nil, notANumber(verb, wrong)
	}
}

func notANumber(verb string, wrong any) error {
	if _, isText := wrong.(string); isText {
		return failf("cannot %s with %s; int(x) and float(x) read numbers from texts", verb, describe(wrong))
	}
	return failf("cannot %s with %s", verb, describe(wrong))
}

func exactNumber(v any) (*big.Rat, bool) {
	n, ok := v.(value.Number)
	if !ok {
		return nil, false
	}
	return value.Rational(n)
}

// add joins texts and lists too.
func add(args ...any) (any, error) {
	switch a := args[0].(type) {
	case string:
		if b, ok := args[1].(string); ok {
			return bounded(a + b)
		}
		return nil, failf("cannot add a text and %s; str(x) makes a text", describe(args[1]))
	case []any:
		if b, ok := args[1].([]any); ok {
			return append(a[:len(a):len(a)], b...), nil
		}
		return nil, failf("cannot add a list and %s", describe(args[1]))
	case value.Number:
		if b, ok := args[1].(value.Number); ok {
			return addNumbers(a, b)
		}
	}
	return arithmetic("add", addExact)(args...)
}

func addNumbers(a, b value.Number) (any, error) {
	x, okX := small(a)
	y, okY := small(b)
	if okX && okY {
		return integer(x + y), nil
	}
	return arithmetic("add", addExact)(a, b)
}

func addExact(a, b *big.Rat) (any, error) { return result(new(big.Rat).Add(a, b)) }
func subtract(a, b *big.Rat) (any, error) { return result(new(big.Rat).Sub(a, b)) }
func multiply(a, b *big.Rat) (any, error) { return result(new(big.Rat).Mul(a, b)) }

func divide(a, b *big.Rat) (any, error) {
	if b.Sign() == 0 {
		return nil, failf("division by zero")
	}
	return result(new(big.Rat).Quo(a, b))
}

// remainder has the sign of the divisor, as in Python.
func remainder(a, b *big.Rat) (any, error) {
	if b.Sign() == 0 {
		return nil, failf("division by zero")
	}
	quotient := new(big.Rat).Quo(a, b)
	floor := new(big.Int)
	// DivMod rounds down for the positive denominators that a Rat has.
	floor.DivMod(quotient.Num(), quotient.Denom(), new(big.Int))
	whole := new(big.Rat).SetInt(floor)
	return result(whole.Sub(a, whole.Mul(whole, b)))
}

// power is exact for whole exponents and the nearest float64 otherwise.
func power(a, b *big.Rat) (any, error) {
	if !b.IsInt() {
		base, _ := a.Float64()
		exponent, _ := b.Float64()
		raised := math.Pow(base, exponent)
		if math.IsNaN(raised) || math.IsInf(raised, 0) {
			return nil, failf("the result is no number")
		}
		return value.Number(strconv.FormatFloat(raised, 'f', -1, 64)), nil
	}
	if b.Num().CmpAbs(big.NewInt(maxPower)) > 0 {
		return nil, failf("an exponent is at most %d", maxPower)
	}
	exponent := int(b.Num().Int64())
	if exponent < 0 {
		if a.Sign() == 0 {
			return nil, failf("division by zero")
		}
		a, exponent = new(big.Rat).Inv(a), -exponent
	}
	raised := big.NewRat(1, 1)
	for range exponent {
		if raised.Mul(raised, a); raised.Num().BitLen()+raised.Denom().BitLen() > 4*maxBits {
			return nil, failf("the result is too large")
		}
	}
	return result(raised)
}

func negative(args ...any) (any, error) {
	n, ok := exactNumber(args[0])
	if !ok {
		return nil, notANumber("negate", args[0])
	}
	if n.Sign() == 0 {
		return args[0], nil
	}
	literal := args[0].(value.Number).String()
	if positive, isNegative := strings.CutPrefix(literal, "-"); isNegative {
		return value.Number(positive), nil
	}
	return value.Number("-" + literal), nil
}

func positive(args ...any) (any, error) {
	if _, ok := exactNumber(args[0]); !ok {
		return nil, notANumber("add", args[0])
	}
	return args[0], nil
}

// bounded refuses a text that grew out of hand.
func bounded(text string) (any, error) {
	if len(text) > maxText {
		return nil, failf("the text is longer than %d bytes", maxText)
	}
	return text, nil
}
