package folder

import (
	"errors"
	"os"
)

// replace writes the file in tmp, syncs it and renames it to its place. The
// library that does it elsewhere has no Windows part.
func replace(tmp, path string, data []byte) (err error) {
	file, err := os.CreateTemp(tmp, "new-*")
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
