//go:build !windows

package durable

import (
	"io/fs"

	"github.com/google/renameio/v2"
)

// Replace writes a file with the mode as a whole. The temporary one lies in the
// folder tmp, on the same file system. Many may call it at once; the last one
// wins.
func Replace(path string, data []byte, mode fs.FileMode, tmp string) error {
	return renameio.WriteFile(path, data, mode, renameio.WithTempDir(tmp))
}
