package main

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// Every start of the program, of whatever command, initialises all packages that
// it is made of. These cost milliseconds and served one command alone.
func TestTheProgramHoldsNoLibraryThatEveryStartPaysFor(t *testing.T) {
	t.Parallel()
	out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	packages := strings.Fields(string(out))
	if !slices.Contains(packages, "github.com/sourcegraph/jsonrpc2") {
		t.Errorf("these are not the packages of the program: %v", packages)
	}
	for library, instead := range map[string]string{
		"github.com/modelcontextprotocol/go-sdk": "runner/mcp serves; the SDK is the client of the tests",
		"github.com/google/jsonschema-go":        "the schemas of tools are embedded",
		"github.com/segmentio/encoding":          "encoding/json",
		"golang.org/x/oauth2":                    "nobody logs in over MCP",
		"net/http":                               "runner/report/web answers the browser; net/http is for tests",
		"encoding/gob":                           "JSON",
		"github.com/invopop/jsonschema":          "it starts yaml/v4 and go/parser; only tests make schemas",
		"go.yaml.in/yaml/v4":                     "gopkg.in/yaml.v3",
	} {
		for _, name := range packages {
			if name == library || strings.HasPrefix(name, library+"/") {
				t.Errorf("the program holds %s; instead: %s", name, instead)
			}
		}
	}
}
