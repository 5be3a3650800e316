package mcp

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"

	"github.com/brickoven/brickoven/recipes/extract/conform"
	"github.com/brickoven/brickoven/recipes/value"
)

// ArgumentError tells which arguments of a call do not fit, and what is wanted.
type ArgumentError struct {
	Tool   string
	Faults []conform.Fault
	// Takes are the names of all arguments of the tool, sorted.
	Takes []string
}

func (e *ArgumentError) Error() string {
	texts := make([]string, len(e.Faults))
	for i, f := range e.Faults {
		texts[i] = f.Message
		if f.Path != "" {
			texts[i] = strings.TrimPrefix(f.Path, "/") + ": " + f.Message
		}
	}
	takes := "none"
	if len(e.Takes) > 0 {
		takes = strings.Join(e.Takes, ", ")
	}
	return "the arguments of " + e.Tool + " do not fit: " + strings.Join(texts, "; ") + "; it takes " + takes
}

// check gives the arguments as JSON that can be read into the tool's type. The
// error is an [*ArgumentError] where they do not fit the schema.
func (s *schema) check(tool string, arguments json.RawMessage) ([]byte, error) {
	if len(arguments) == 0 || string(arguments) == "null" {
		arguments = json.RawMessage("{}")
	}
	v, err := value.Parse(string(arguments))
	if err != nil {
		return nil, err
	}
	if faults := s.takes.Check(v); len(faults) > 0 {
		return nil, &ArgumentError{tool, faults, s.names}
	}
	given, isMap := v.(map[string]any)
	if !isMap {
		return arguments, nil
	}
	for name, argument := range given {
		if n, is := argument.(value.Number); is {
			given[name] = integral(n)
		}
	}
	return json.Marshal(given)
}

// integral writes a whole number without fraction or exponent: to a schema 2.0 is
// an integer, to Go it is none.
func integral(n value.Number) value.Number {
	f, err := n.Float64()
	if err != nil || f != math.Trunc(f) || math.Abs(f) >= 1<<53 {
		return n
	}
	return value.Number(strconv.FormatInt(int64(f), 10))
}
