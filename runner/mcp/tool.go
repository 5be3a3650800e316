package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
)

// Tool is what an agent can call.
type Tool struct {
	Name, Description string
	// ReadOnly tells that a call changes nothing, for clients that ask a person
	// before anything else.
	ReadOnly bool
	// Input and Output are the types that the schemas are made of.
	Input, Output reflect.Type

	call func(ctx context.Context, arguments []byte) (any, error)
}

// NewTool makes a tool of a function from a struct of arguments to a struct of
// results. Both are JSON; a field with omitempty is optional, and the tag
// jsonschema_description tells the agent what it means. The function may be
// called several times at once. The text of its error is what the agent reads.
func NewTool[In, Out any](name, description string, readOnly bool, do func(context.Context, In) (Out, error)) Tool {
	return Tool{
		Name: name, Description: description, ReadOnly: readOnly,
		Input: reflect.TypeFor[In](), Output: reflect.TypeFor[Out](),
		call: func(ctx context.Context, arguments []byte) (any, error) {
			var in In
			if err := json.Unmarshal(arguments, &in); err != nil {
				return nil, fmt.Errorf("the arguments of %s: %w", name, err)
			}
			return do(ctx, in)
		},
	}
}

// PanicError is a call that panicked.
type PanicError struct {
	Tool  string
	Value any
}

func (e *PanicError) Error() string { return fmt.Sprintf("the tool %s panicked: %v", e.Tool, e.Value) }

// run checks the arguments and calls the tool.
func (t *Tool) run(ctx context.Context, of schema, arguments json.RawMessage) (result json.RawMessage, err error) {
	defer func() {
		if value := recover(); value != nil {
			err = &PanicError{t.Name, value}
		}
	}()
	fit, err := of.check(t.Name, arguments)
	if err != nil {
		return nil, err
	}
	out, err := t.call(ctx, fit)
	if err != nil {
		return nil, err
	}
	return json.Marshal(out)
}
