package mcp

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/brickoven/brickoven/recipes/extract/conform"
	"github.com/brickoven/brickoven/recipes/value"
)

// schema is what a tool takes and gives.
type schema struct {
	Input  json.RawMessage `json:"input"`
	Output json.RawMessage `json:"output"`
	takes  *conform.Schema
	names  []string // of the arguments, sorted
}

// readSchemas reads the schemas of all the tools, by their names.
func readSchemas(document []byte, tools []Tool) (map[string]schema, error) {
	var all map[string]schema
	if err := json.Unmarshal(document, &all); err != nil {
		return nil, fmt.Errorf("the schemas of the tools: %w", err)
	}
	for name, of := range all {
		if err := of.compile(); err != nil {
			return nil, fmt.Errorf("the input schema of %s: %w", name, err)
		}
		all[name] = of
	}
	for _, t := range tools {
		if _, known := all[t.Name]; !known {
			return nil, fmt.Errorf("the tool %q has no schema", t.Name)
		}
	}
	return all, nil
}

func (s *schema) compile() error {
	input, err := value.Parse(string(s.Input))
	if err != nil {
		return err
	}
	if s.takes, err = conform.Compile(input); err != nil {
		return err
	}
	if whole, is := input.(map[string]any); is {
		properties, _ := whole["properties"].(map[string]any)
		s.names = slices.Sorted(maps.Keys(properties))
	}
	return nil
}
