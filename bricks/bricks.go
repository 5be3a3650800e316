// Package bricks holds the recipes that ship inside the binary and the native
// functions that they call. The runner gets both handed in and knows none of
// them by name.
package bricks

import (
	"embed"
	"io/fs"
	"strings"
)

//go:embed builtin/*.yaml
var builtin embed.FS

const (
	folder    = "builtin"
	extension = ".yaml"
)

// Builtin returns the document of a built-in recipe; ok is false when there is
// none of that name.
func Builtin(name string) (document []byte, ok bool) {
	if strings.ContainsAny(name, `/\`) {
		return nil, false
	}
	document, err := builtin.ReadFile(folder + "/" + name + extension)
	return document, err == nil
}

// Names lists the built-in recipes, sorted.
func Names() []string {
	entries, err := fs.ReadDir(builtin, folder)
	if err != nil {
		return nil // embedding guarantees the folder
	}
	names := make([]string, len(entries))
	for i, entry := range entries {
		names[i] = strings.TrimSuffix(entry.Name(), extension)
	}
	return names
}
