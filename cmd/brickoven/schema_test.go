package main

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/brickoven/brickoven/schema"
	"github.com/google/go-cmp/cmp"
)

// TestTheResultSchemaHasTheKeysOfTheResult compares the committed schema with
// the types that are printed. error is there where a run could not start.
func TestTheResultSchemaHasTheKeysOfTheResult(t *testing.T) {
	t.Parallel()
	text, ok := schema.Get("result")
	if !ok {
		t.Fatal("there is no schema of the result")
	}
	type mapping struct { // the parts of a schema that hold keys
		Properties map[string]any     `json:"properties"`
		Defs       map[string]mapping `json:"$defs"`
	}
	var root mapping
	if err := json.Unmarshal(text, &root); err != nil {
		t.Fatal(err)
	}
	for _, of := range []struct {
		name string
		got  map[string]any
		want []string
	}{
		{"result", root.Properties, append(jsonKeys(reflect.TypeFor[result]()), "error")},
		{"step result", root.Defs["StepResult"].Properties, jsonKeys(reflect.TypeFor[stepResult]())},
	} {
		slices.Sort(of.want)
		if diff := cmp.Diff(of.want, slices.Sorted(maps.Keys(of.got))); diff != "" {
			t.Errorf("%s: type (-) and schema (+) differ; see schema/document/result.go\n%s", of.name, diff)
		}
	}
}

func jsonKeys(t reflect.Type) (keys []string) {
	for _, field := range reflect.VisibleFields(t) {
		if key, _, _ := strings.Cut(field.Tag.Get("json"), ","); key != "" && key != "-" {
			keys = append(keys, key)
		}
	}
	return keys
}
