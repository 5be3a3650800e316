package durable

import (
	"errors"
	"io/fs"
	"os"
)

// Replace writes a file as a whole. The temporary one lies in the folder tmp, on
// the same file system. Many may call it at once; the last one wins. The library
// that does it elsewhere has no Windows part.
func Replace(path string, data []byte, mode fs.FileMode, tmp string) error {
	file, err := os.CreateTemp(tmp, "new-*")
	if err != nil {
		return err
	}
	_, err = file.Write(data)
	err = errors.Join(err, file.Chmod(mode), file.Sync(), file.Close())
	if err == nil {
		err = os.Rename(file.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(file.Name()))
	}
	return nil
}
