package template

import (
	"fmt"
	"reflect"

	"github.com/brickoven/brickoven/recipes/value"
)

// maxItems and maxDepth bound the values that functions build: a list that
// holds itself twice, again and again, is small in memory and endless in print.
const (
	maxItems = 1_000_000
	maxDepth = 1_000
)

// settle makes a value of what a function returned and refuses what is too
// large to go on with.
func settle(result any) (any, error) {
	left := budget{bytes: MaxRendered, items: maxItems}
	return left.settle(result, 0)
}

// printed is the text of a value, if that is not too long.
func printed(v any) (string, error) {
	left := budget{bytes: MaxRendered, items: MaxRendered / 2}
	if err := left.spend(v, 0); err != nil {
		return "", err
	}
	return value.Text(v), nil
}

type budget struct{ bytes, items int }

// settle converts the lists and maps that library functions return; those of
// ours hold values already and are only measured.
func (b *budget) settle(v any, depth int) (any, error) {
	switch v.(type) {
	case nil, bool, string, value.Number, []any, map[string]any:
		return v, b.spend(v, depth)
	}
	r := reflect.ValueOf(v)
	if r.Kind() != reflect.Slice {
		converted := value.From(v)
		return converted, b.spend(converted, depth)
	}
	items := make([]any, r.Len())
	for i := range items {
		item, err := b.settle(r.Index(i).Interface(), depth+1)
		if err != nil {
			return nil, err
		}
		items[i] = item
	}
	return items, b.spend(nil, depth)
}

func (b *budget) spend(v any, depth int) error {
	b.items--
	switch v := v.(type) {
	case string:
		b.bytes -= len(v)
	case value.Number:
		b.bytes -= len(v)
	case []any:
		for _, item := range v {
			if err := b.nested(item, depth); err != nil {
				return err
			}
		}
	case map[string]any:
		for key, item := range v {
			b.bytes -= len(key)
			if err := b.nested(item, depth); err != nil {
				return err
			}
		}
	}
	return b.check(depth)
}

func (b *budget) nested(v any, depth int) error {
	if err := b.check(depth + 1); err != nil {
		return err
	}
	return b.spend(v, depth+1)
}

func (b *budget) check(depth int) error {
	switch {
	case b.bytes < 0:
		return fmt.Errorf("the result is longer than %d bytes", MaxRendered)
	case b.items < 0:
		return fmt.Errorf("the result has too many items")
	case depth > maxDepth:
		return fmt.Errorf("the result is nested more than %d deep", maxDepth)
	}
	return nil
}

// room refuses a text before it is built; parts are multiplied by times.
func room(length, times int) error {
	if length > 0 && times > MaxRendered/length {
		return fmt.Errorf("the result would be longer than %d bytes", MaxRendered)
	}
	return nil
}
