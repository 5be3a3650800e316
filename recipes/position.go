package recipes

import (
	"fmt"
	"time"
)

// Source is a recipe file, or a built-in recipe.
type Source struct {
	// Path is the file's path, or builtin:NAME.
	Path string
	// Dir is the folder that relative paths in the recipe start from; empty for
	// a built-in recipe.
	Dir string
	// Text is the document as it was read.
	Text string
}

// Position is a place in a recipe document; lines and columns count from 1, and
// the zero Position means the document as a whole.
type Position struct {
	File   string
	Line   int
	Column int
}

// String prints the position as file:line:column.
func (p Position) String() string {
	if p.Line == 0 {
		return p.File
	}
	return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column)
}

// Duration is a time span of the document: a number of seconds or a text such
// as 10m or 1h30m.
type Duration = time.Duration
