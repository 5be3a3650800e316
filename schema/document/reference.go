package document

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Reference prints the keys of every document that people write as a page in
// Markdown, from a schema that Generate gave.
func Reference(schemas map[string][]byte) (string, error) {
	var b strings.Builder
	b.WriteString("# Keys\n\nEvery key of the documents that people write, in alphabetical order. The page and the schemas " +
		"that\n`brickoven schema` prints say the same, because both are made from one source.\n")
	for _, k := range kinds {
		if k.written {
			continue
		}
		var root mapping
		if err := json.Unmarshal(schemas[k.name], &root); err != nil {
			return "", fmt.Errorf("schema %s: %w", k.name, err)
		}
		fmt.Fprintf(&b, "\n## %s\n\n", k.name)
		root.table(&b)
		for _, name := range slices.Sorted(maps.Keys(root.Defs)) {
			var def mapping
			if err := json.Unmarshal(root.Defs[name], &def); err == nil && len(def.Properties) > 0 {
				fmt.Fprintf(&b, "\n### %s: %s\n\n", k.name, strings.ToLower(name))
				def.table(&b)
			}
		}
	}
	return b.String(), nil
}

// mapping is the part of a schema that describes the keys of a mapping.
type mapping struct {
	Description string                     `json:"description"`
	Properties  map[string]json.RawMessage `json:"properties"`
	Required    []string                   `json:"required"`
	Defs        map[string]json.RawMessage `json:"$defs"`
}

func (m mapping) table(b *strings.Builder) {
	if m.Description != "" {
		fmt.Fprintf(b, "%s\n\n", m.Description)
	}
	b.WriteString("| key | meaning |\n|---|---|\n")
	for _, key := range slices.Sorted(maps.Keys(m.Properties)) {
		var of mapping
		text := ""
		if err := json.Unmarshal(m.Properties[key], &of); err == nil {
			text = of.Description
		}
		if slices.Contains(m.Required, key) {
			text = strings.TrimSpace("Required. " + text)
		}
		fmt.Fprintf(b, "| `%s` | %s |\n", key, strings.ReplaceAll(text, "|", `\|`))
	}
}
