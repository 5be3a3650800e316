package store

import (
	"errors"
	"os"
	"path/filepath"
)

// replace writes the file beside its place, syncs it and renames it there. The
// library that does it elsewhere has no Windows part.
func replace(path string, data []byte) (err error) {
	file, err := os.CreateTemp(filepath.Dir(path), ".ledger-*")
	if err != nil {
		return err
	}
	_, err = file.Write(data)
	err = errors.Join(err, file.Sync(), file.Close())
	if err == nil {
		err = os.Rename(file.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(file.Name()))
	}
	return nil
}
