package main

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/brickoven/brickoven/recipes/extract/conform"
	"github.com/brickoven/brickoven/recipes/value"
	"github.com/brickoven/brickoven/runner/mcp/toolschema"
	"github.com/brickoven/brickoven/runner/report"
)

func TestTheSchemasOfTheToolsAreThoseOfTheirTypes(t *testing.T) {
	t.Parallel()
	want, err := toolschema.Generate((&door{}).tools())
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile("mcp_schemas.json", want, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(string(want), string(toolSchemas)); diff != "" {
		t.Errorf("mcp_schemas.json is not what the types say; run go test ./cmd/brickoven -update\n%s", diff)
	}
}

// What has nothing to tell says so with an empty list: the schemas allow no null.
func TestARunOfNothingIsWhatItsSchemaSays(t *testing.T) {
	t.Parallel()
	var schemas map[string]struct{ Output any }
	if err := json.Unmarshal(toolSchemas, &schemas); err != nil {
		t.Fatal(err)
	}
	schema, err := conform.Compile(value.From(schemas["show_run"].Output))
	if err != nil {
		t.Fatal(err)
	}
	for _, run := range []*report.Run{{}, {Loops: []*report.Loop{{}, {Rounds: []*report.Round{{}}}}, All: []*report.Step{{}}}} {
		if faults := schema.Check(value.From(newDigest(run))); len(faults) > 0 {
			t.Errorf("%+v", faults)
		}
	}
	running := runDigest{}
	if faults := schema.Check(value.From(running)); len(faults) == 0 {
		t.Error("a digest with lists that are null fits")
	}
}
