package extract

import (
	"fmt"
	"strings"

	"github.com/brickoven/brickoven/recipes/value"
)

// CaptureOptions say how the output of a step becomes its value.
type CaptureOptions struct {
	// ParseJSON looks for JSON inside prose, as parse_json: true does.
	ParseJSON bool
	// RequireField is the key that the answer must carry; it implies ParseJSON.
	RequireField string
	// Schema is checked against the value; nil checks nothing.
	Schema *Schema
}

// NoAnswerError tells that a text holds no answer.
type NoAnswerError struct {
	Reason string
	// Excerpt is the begin and the end of the text, at most 400 characters.
	Excerpt string
}

// Error begins with "parse_json failed", which scripts look for.
func (e *NoAnswerError) Error() string {
	return fmt.Sprintf("parse_json failed: %s; the output was: %s", e.Reason, e.Excerpt)
}

// Answer turns the standard output of a step into the text and the value that
// its variable gets. Text is the output cleaned ([value.Clean]) and trimmed
// ([value.Capture]), also where the value was found inside of it.
//
// The error is a [*NoAnswerError] when JSON was asked for and none was found,
// and a [*SchemaError] when the value does not match. Text is valid with an
// error too, and then v is the text: the raw output that a step keeps unless
// parse_json_required says otherwise.
func Answer(stdout string, o CaptureOptions) (text string, v any, err error) {
	clean, _ := value.Clean(stdout)
	text, v = value.Capture(clean)
	if o.ParseJSON || o.RequireField != "" {
		found, ok := Find(text, Options{RequireField: o.RequireField})
		if !ok {
			return text, text, &NoAnswerError{Reason: reason(text, o.RequireField), Excerpt: excerpt(text)}
		}
		v = found.Value
	}
	if o.Schema != nil {
		if err := o.Schema.Check(v); err != nil {
			return text, text, err
		}
	}
	return text, v, nil
}

func reason(text, field string) string {
	switch {
	case text == "":
		return "the output is empty"
	case field != "":
		return fmt.Sprintf("the output holds no JSON object with the field %q", field)
	}
	return "the output holds no JSON"
}

// excerpt keeps the begin and the end of a text that is too long for a message.
func excerpt(text string) string {
	const half = 200
	if len(text) <= 2*half {
		return text
	}
	head, tail := text[:half], text[len(text)-half:]
	return strings.ToValidUTF8(head, "") + " … " + strings.ToValidUTF8(tail, "")
}
