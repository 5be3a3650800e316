package main

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/brickoven/brickoven/recipes"
	"github.com/brickoven/brickoven/recipes/value"
	"github.com/brickoven/brickoven/runner/local"
)

// readStubs collects --stub and --stub-file.
func readStubs(o *runOptions) ([]*local.Stub, error) {
	var stubs []*local.Stub
	for _, text := range o.stubs {
		id, output, ok := strings.Cut(text, "=")
		if !ok || id == "" {
			return nil, fmt.Errorf("--stub %q: want STEP_ID=text or STEP_ID=@file", text)
		}
		if path, isFile := strings.CutPrefix(output, "@"); isFile {
			data, err := os.ReadFile(path)
			if err != nil {
				return nil, fmt.Errorf("--stub %s: %w", id, err)
			}
			output = string(data)
		}
		stubs = append(stubs, &local.Stub{Step: id, Outputs: []string{output}})
	}
	if o.stubFile != "" {
		fromFile, err := readStubFile(o.stubFile)
		if err != nil {
			return nil, fmt.Errorf("--stub-file: %w", err)
		}
		stubs = append(stubs, fromFile...)
	}
	return stubs, nil
}

// readStubFile reads a map from step ids to what stands in for them: a text, or
// a map of output, outputs, exit_code, error and command.
func readStubFile(path string) ([]*local.Stub, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	entries, err := recipes.ParseContext(path, data)
	if err != nil {
		return nil, err
	}
	var stubs []*local.Stub
	for _, entry := range entries {
		stub, err := readStub(entry.Name, entry.Value)
		if err != nil {
			return nil, fmt.Errorf("%s: %s: %w", entry.Pos, entry.Name, err)
		}
		stubs = append(stubs, stub)
	}
	return stubs, nil
}

func readStub(id string, v any) (*local.Stub, error) {
	stub := &local.Stub{Step: id}
	keys, isMap := v.(map[string]any)
	if !isMap {
		stub.Outputs = []string{value.Text(v)}
		return stub, nil
	}
	for key, v := range keys {
		switch key {
		case "output":
			stub.Outputs = []string{value.Text(v)}
		case "outputs":
			list, ok := v.([]any)
			if !ok {
				return nil, errors.New("outputs must be a list, one entry a call")
			}
			for _, item := range list {
				stub.Outputs = append(stub.Outputs, value.Text(item))
			}
		case "exit_code":
			code, err := strconv.Atoi(value.Text(v))
			if err != nil || code < 0 || code > 255 {
				return nil, fmt.Errorf("exit_code %q is not a number from 0 to 255", value.Text(v))
			}
			stub.ExitCode = code
		case "error":
			stub.Error = value.Text(v)
		case "command":
			stub.Command = value.Text(v)
		default:
			return nil, fmt.Errorf("unknown key %q (there are output, outputs, exit_code, error and command)", key)
		}
	}
	if stub.Error != "" && stub.ExitCode == 0 {
		stub.ExitCode = 1
	}
	return stub, nil
}
