//go:build !windows

package store

import "github.com/google/renameio/v2"

// replace writes the file beside its place, syncs it and renames it there.
func replace(path string, data []byte) error {
	return renameio.WriteFile(path, data, fileMode)
}
