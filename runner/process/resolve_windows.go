package process

import (
	"errors"
	"os/exec"
	"syscall"
)

// resolve finds the program in the PATH of this process, with the extensions
// of PATHEXT.
func resolve(s Spec) (string, error) {
	if len(s.Argv) == 0 || s.Argv[0] == "" {
		return "", syscall.ENOENT
	}
	path, err := exec.LookPath(s.Argv[0])
	if errors.Is(err, exec.ErrNotFound) {
		return "", syscall.ENOENT
	}
	return path, err
}
