//go:build !windows

package durable

import (
	"errors"
	"io/fs"

	"github.com/google/renameio/v2"
)

// Replace writes a file with the mode as a whole, of parts that are written one
// after another, so that a large text need not be copied into one piece. The
// temporary file lies in the folder tmp, on the same file system. A file that is
// there keeps its mode. Many may call it at once; the last one wins.
func Replace(path string, mode fs.FileMode, tmp string, parts ...[]byte) (err error) {
	file, err := renameio.NewPendingFile(path, renameio.WithPermissions(mode), renameio.WithExistingPermissions(), renameio.WithTempDir(tmp))
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, file.Cleanup())
		}
	}()
	for _, part := range parts {
		if _, err := file.Write(part); err != nil {
			return err
		}
	}
	return file.CloseAtomicallyReplace()
}
