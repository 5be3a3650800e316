package durable

import (
	"errors"
	"io/fs"
	"os"
)

// Replace writes a file as a whole, of parts that are written one after another.
// The temporary file lies in the folder tmp, on the same file system. Many may
// call it at once; the last one wins. The library that does it elsewhere has no
// Windows part.
func Replace(path string, mode fs.FileMode, tmp string, parts ...[]byte) error {
	file, err := os.CreateTemp(tmp, "new-*")
	if err != nil {
		return err
	}
	for _, part := range parts {
		if err == nil {
			_, err = file.Write(part)
		}
	}
	err = errors.Join(err, file.Chmod(mode), file.Sync(), file.Close())
	if err == nil {
		err = os.Rename(file.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(file.Name()))
	}
	return nil
}
