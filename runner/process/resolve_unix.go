//go:build unix

package process

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

const defaultPath = "/usr/local/bin:/usr/bin:/bin"

// resolve finds the program in the PATH that the child gets, not in ours: a
// step may set its own.
func resolve(s Spec) (string, error) {
	if len(s.Argv) == 0 || s.Argv[0] == "" {
		return "", syscall.ENOENT
	}
	program := s.Argv[0]
	if strings.Contains(program, "/") {
		return program, nil
	}
	err := error(syscall.ENOENT)
	for _, dir := range filepath.SplitList(searchPath(s.Env)) {
		if dir == "" {
			dir = "."
		}
		candidate := dir + "/" + program
		found := executable(s.Dir, candidate)
		if found == nil {
			return candidate, nil
		}
		if errors.Is(found, syscall.EACCES) {
			err = syscall.EACCES
		}
	}
	return "", err
}

func searchPath(env []string) string {
	for i := len(env) - 1; i >= 0; i-- {
		if path, ok := strings.CutPrefix(env[i], "PATH="); ok {
			return path
		}
	}
	return defaultPath
}

// executable looks at a candidate from where the child will stand.
func executable(dir, candidate string) error {
	if !filepath.IsAbs(candidate) && dir != "" {
		candidate = filepath.Join(dir, candidate)
	}
	info, err := os.Stat(candidate)
	switch {
	case err != nil:
		return syscall.ENOENT
	case info.IsDir() || info.Mode()&0o111 == 0:
		return syscall.EACCES
	}
	return nil
}
