package process

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// StreamFile finds the file that the newest stream of a name writes into, in the
// spool in dir: what another process reads while the step still runs. ok is
// false as long as the stream has none, which it gets after [Patience] or with
// more than [Inline] bytes.
func StreamFile(dir, name string) (path string, changed time.Time, ok bool) {
	base := fileName(name)
	entries, err := os.ReadDir(filepath.Join(dir, stepsDir))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", time.Time{}, false
	}
	for _, entry := range slices.Backward(entries) {
		rest, same := strings.CutPrefix(entry.Name(), base)
		if !same || rest != ".out" && !strings.HasPrefix(rest, "~") {
			continue
		}
		info, err := entry.Info()
		if err == nil && (!ok || info.ModTime().After(changed)) {
			path, changed, ok = filepath.Join(dir, stepsDir, entry.Name()), info.ModTime(), true
		}
	}
	return path, changed, ok
}
