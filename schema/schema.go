// Package schema holds the JSON Schemas (draft 2020-12) of everything that
// brickoven reads and writes as a document. The files are generated from the Go
// types of schema/document; a test there fails when they drift.
package schema

import (
	"embed"
	"io/fs"
	"strings"
)

//go:embed *.schema.json
var files embed.FS

const extension = ".schema.json"

// Names lists the schemas, sorted.
func Names() []string {
	entries, err := fs.ReadDir(files, ".")
	if err != nil {
		return nil // embedding guarantees the folder
	}
	names := make([]string, len(entries))
	for i, entry := range entries {
		names[i] = strings.TrimSuffix(entry.Name(), extension)
	}
	return names
}

// Get returns the JSON of a schema; ok is false where there is none of that name.
func Get(name string) (document []byte, ok bool) {
	document, err := files.ReadFile(name + extension)
	return document, err == nil
}
