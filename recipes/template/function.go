package template

import (
	"fmt"
	"math/big"
	"reflect"
	"strconv"

	"github.com/brickoven/brickoven/recipes/value"
)

// function is one function of the allow-list. Its arguments and its result are
// values, so that numbers keep their literal text on the way through it.
type function struct {
	name string
	// min and max bound the number of arguments; a negative max does not.
	min, max int
	// optional tells that a missing argument is what the function is for.
	optional bool
	run      func(args []any) (any, error)
}

// callError is the failure of a function.
type callError struct {
	function string
	err      error
}

func (e *callError) Error() string { return e.function + ": " + e.err.Error() }

func (e *callError) Unwrap() error { return e.err }

// takes checks the number of arguments.
func (f *function) takes(n int) error {
	if n >= f.min && (f.max < 0 || n <= f.max) {
		return nil
	}
	want := strconv.Itoa(f.min)
	switch {
	case f.max < 0:
		want = "at least " + want
	case f.max > f.min:
		want += " to " + strconv.Itoa(f.max)
	}
	return fmt.Errorf("%s takes %s arguments, not %d", f.name, want, n)
}

// call runs the function. A panic of a library function on arguments that it
// did not foresee is a failure like any other.
func (f *function) call(args ...any) (result any, err error) {
	defer func() {
		if r := recover(); r != nil {
			result, err = nil, &callError{f.name, fmt.Errorf("it does not work on these arguments: %v", r)}
		}
	}()
	for i := range args {
		args[i] = shallow(args[i])
	}
	result, err = f.run(args)
	if err == nil {
		result, err = settle(result)
	}
	if err != nil {
		return nil, &callError{f.name, err}
	}
	return result, nil
}

// shallow makes a value of the numbers that text/template itself produces:
// constants and the indexes of range.
func shallow(v any) any {
	switch v := v.(type) {
	case nil, bool, string, value.Number, []any, map[string]any:
		return v
	case int:
		return value.Number(strconv.Itoa(v))
	}
	return value.From(v)
}

// library wraps a function of a library. Each letter of signature says what an
// argument becomes: s text, i a whole number, l a list, m a map, v the value as
// it is; a star after the last repeats it.
func library(name, signature string, fn any) *function {
	kinds, repeated := signature, false
	if n := len(signature); signature[n-1] == '*' {
		kinds, repeated = signature[:n-1], true
	}
	f := &function{name: name, min: len(kinds), max: len(kinds)}
	if repeated {
		f.min, f.max = len(kinds)-1, -1
	}
	called := reflect.ValueOf(fn)
	f.run = func(args []any) (any, error) {
		in := make([]reflect.Value, len(args))
		for i, arg := range args {
			v, err := converted(kinds[min(i, len(kinds)-1)], arg)
			if err != nil {
				return nil, err
			}
			if in[i] = reflect.ValueOf(v); v == nil {
				in[i] = reflect.Zero(reflect.TypeFor[any]())
			}
		}
		out := called.Call(in)
		if len(out) == 2 && !out[1].IsNil() {
			return nil, out[1].Interface().(error)
		}
		return out[0].Interface(), nil
	}
	return f
}

func converted(kind byte, arg any) (any, error) {
	switch kind {
	case 's':
		return printed(arg)
	case 'i':
		return integer(arg)
	case 'l':
		return list(arg)
	case 'm':
		return table(arg)
	}
	return arg, nil
}

func list(v any) ([]any, error) {
	switch v := v.(type) {
	case nil:
		return []any{}, nil
	case []any:
		return v, nil
	}
	if v == "" {
		return []any{}, nil
	}
	return nil, fmt.Errorf("a list is wanted, not a %s", value.Kind(v))
}

func table(v any) (map[string]any, error) {
	switch v := v.(type) {
	case nil:
		return map[string]any{}, nil
	case map[string]any:
		return v, nil
	}
	if v == "" {
		return map[string]any{}, nil
	}
	return nil, fmt.Errorf("a map is wanted, not a %s", value.Kind(v))
}

// number reads a number or a numeric text; nothing is 0, any other text an
// error rather than a 0 in silence.
func number(v any) (*big.Rat, error) {
	if v == nil || v == "" {
		return new(big.Rat), nil
	}
	if n, ok := value.Rational(v); ok {
		return n, nil
	}
	return nil, fmt.Errorf("a number is wanted, not %s", excerpt(v))
}

// integer is the whole part of a number.
func integer(v any) (int, error) {
	n, err := number(v)
	if err != nil {
		return 0, err
	}
	whole := new(big.Int).Quo(n.Num(), n.Denom())
	if !whole.IsInt64() {
		return 0, fmt.Errorf("%s is too large", excerpt(v))
	}
	return int(whole.Int64()), nil
}

// excerpt is the beginning of a value for messages.
func excerpt(v any) string {
	if _, isText := v.(string); !isText && !value.IsScalar(v) {
		return "a " + value.Kind(v)
	}
	const longest = 40
	text := []rune(value.Text(v))
	if len(text) > longest {
		text = append(text[:longest], '…')
	}
	return strconv.Quote(string(text))
}
