package template

import (
	"errors"
	"math/big"
	"strings"

	"github.com/brickoven/brickoven/recipes/value"
)

// numberFunctions replace sprig's, which work in 64 bits and wrap around in
// silence or in floats: these are exact.
func numberFunctions() []*function {
	return []*function{
		fold("add", 0, (*big.Rat).Add), fold("addf", 0, (*big.Rat).Add),
		fold("sub", 2, (*big.Rat).Sub), fold("subf", 1, (*big.Rat).Sub),
		fold("mul", 1, (*big.Rat).Mul), fold("mulf", 1, (*big.Rat).Mul),
		{name: "add1", min: 1, max: 1, run: unary(func(n *big.Rat) *big.Rat { return n.Add(n, big.NewRat(1, 1)) })},
		{name: "add1f", min: 1, max: 1, run: unary(func(n *big.Rat) *big.Rat { return n.Add(n, big.NewRat(1, 1)) })},
		{name: "floor", min: 1, max: 1, run: unary(floor)},
		{name: "ceil", min: 1, max: 1, run: unary(func(n *big.Rat) *big.Rat { return n.Neg(floor(n.Neg(n))) })},
		{name: "int", min: 1, max: 1, run: unary(whole)},
		{name: "int64", min: 1, max: 1, run: unary(whole)},
		{name: "atoi", min: 1, max: 1, run: unary(whole)},
		{name: "float64", min: 1, max: 1, run: unary(func(n *big.Rat) *big.Rat { return n })},
		{name: "div", min: 2, max: 2, run: quotient(func(a, b *big.Rat) *big.Rat { return whole(a.Quo(a, b)) })},
		{name: "divf", min: 2, max: 2, run: quotient(func(a, b *big.Rat) *big.Rat { return a.Quo(a, b) })},
		{name: "mod", min: 2, max: 2, run: quotient(func(a, b *big.Rat) *big.Rat {
			times := whole(new(big.Rat).Quo(a, b))
			return a.Sub(a, times.Mul(times, b))
		})},
		{name: "round", min: 2, max: 2, run: round},
		extreme("max", 1), extreme("maxf", 1), extreme("biggest", 1),
		extreme("min", -1), extreme("minf", -1),
		{name: "until", min: 1, max: 1, run: func(args []any) (any, error) { return series(nil, args[0], nil) }},
		{name: "untilStep", min: 3, max: 3, run: func(args []any) (any, error) { return series(args[0], args[1], args[2]) }},
	}
}

func fold(name string, least int, op func(z, x, y *big.Rat) *big.Rat) *function {
	return &function{name: name, min: least, max: -1, run: func(args []any) (any, error) {
		sum := new(big.Rat)
		for i, arg := range args {
			n, err := number(arg)
			if err != nil {
				return nil, err
			}
			if i == 0 {
				sum = n
			} else {
				op(sum, sum, n)
			}
		}
		return decimal(sum), nil
	}}
}

func unary(op func(*big.Rat) *big.Rat) func([]any) (any, error) {
	return func(args []any) (any, error) {
		n, err := number(args[0])
		if err != nil {
			return nil, err
		}
		return decimal(op(n)), nil
	}
}

func quotient(op func(a, b *big.Rat) *big.Rat) func([]any) (any, error) {
	return func(args []any) (any, error) {
		a, err := number(args[0])
		if err != nil {
			return nil, err
		}
		b, err := number(args[1])
		if err != nil {
			return nil, err
		}
		if b.Sign() == 0 {
			return nil, errors.New("division by zero")
		}
		return decimal(op(a, b)), nil
	}
}

func round(args []any) (any, error) {
	n, err := number(args[0])
	if err != nil {
		return nil, err
	}
	digits, err := integer(args[1])
	if err != nil {
		return nil, err
	}
	if digits < 0 || digits > 100 {
		return nil, errors.New("the number of digits is 0 to 100")
	}
	return trimmed(n.FloatString(digits)), nil
}

// extreme keeps the winning argument as it was written.
func extreme(name string, sign int) *function {
	return &function{name: name, min: 1, max: -1, run: func(args []any) (any, error) {
		var best *big.Rat
		winner := any(nil)
		for _, arg := range args {
			n, err := number(arg)
			if err != nil {
				return nil, err
			}
			if best == nil || n.Cmp(best) == sign {
				best, winner = n, arg
			}
		}
		if _, isNumber := winner.(value.Number); !isNumber {
			return decimal(best), nil
		}
		return winner, nil
	}}
}

// series lists the whole numbers from start up or down to stop, without it.
func series(start, stop, step any) (any, error) {
	from, err := integer(start)
	if err != nil {
		return nil, err
	}
	to, err := integer(stop)
	if err != nil {
		return nil, err
	}
	by, err := integer(step)
	if err != nil {
		return nil, err
	}
	if step == nil {
		by = 1
		if to < from {
			by = -1
		}
	}
	numbers := []any{}
	if by == 0 {
		return numbers, nil
	}
	for i := from; by > 0 && i < to || by < 0 && i > to; i += by {
		if len(numbers) == maxItems {
			return nil, errors.New("the result has too many items")
		}
		numbers = append(numbers, shallow(i))
	}
	return numbers, nil
}

func whole(n *big.Rat) *big.Rat {
	return new(big.Rat).SetInt(new(big.Int).Quo(n.Num(), n.Denom()))
}

func floor(n *big.Rat) *big.Rat {
	return new(big.Rat).SetInt(new(big.Int).Div(n.Num(), n.Denom()))
}

// decimal prints a number exactly, or with 16 digits after the point where no
// decimal fraction is exact.
func decimal(n *big.Rat) value.Number {
	digits, exact := n.FloatPrec()
	if !exact {
		return trimmed(n.FloatString(16))
	}
	return value.Number(n.FloatString(digits))
}

// trimmed drops the zeros at the end of a fraction.
func trimmed(text string) value.Number {
	if strings.Contains(text, ".") {
		text = strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
	}
	if text == "-0" {
		text = "0"
	}
	return value.Number(text)
}
