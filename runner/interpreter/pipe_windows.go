package interpreter

import (
	"errors"
	"os"
)

// errNoFormat never comes: Windows goes by the name's extension.
var errNoFormat = errors.New("no format")

// unread cannot be told here; writing fails instead.
func unread(*os.File) bool { return false }
