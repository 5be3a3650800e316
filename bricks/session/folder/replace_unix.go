//go:build !windows

package folder

import "github.com/google/renameio/v2"

// replace writes the file in tmp, syncs it and renames it to its place, so that
// the session's folder never holds half a file or a temporary one.
func replace(tmp, path string, data []byte) error {
	return renameio.WriteFile(path, data, fileMode, renameio.WithTempDir(tmp))
}
