package store

import (
	"os"
	"path/filepath"
	"strings"
)

// Places resolves the programs of evidence commands on this machine.
type Places struct {
	// Root is the project's folder, absolute.
	Root string
	// Path is the value of PATH.
	Path string
	// Extensions are tried behind a program's name; only Windows has them
	// (PATHEXT).
	Extensions []string
}

// Program tells whether name is an executable file on PATH, or a file in dir.
func (p Places) Program(dir, name string) bool {
	if p.File(dir, name) {
		return true
	}
	if strings.ContainsAny(name, `/\`) {
		return false
	}
	for _, folder := range filepath.SplitList(p.Path) {
		if folder != "" && p.executable(filepath.Join(p.from(folder), name)) {
			return true
		}
	}
	return false
}

func (p Places) executable(path string) bool {
	for _, candidate := range append([]string{path}, p.withExtensions(path)...) {
		info, err := os.Stat(candidate)
		if err == nil && info.Mode().IsRegular() && (len(p.Extensions) > 0 || info.Mode().Perm()&0o111 != 0) {
			return true
		}
	}
	return false
}

func (p Places) withExtensions(path string) []string {
	var paths []string
	for _, extension := range p.Extensions {
		paths = append(paths, path+extension)
	}
	return paths
}

// File tells whether name is a file, seen from dir.
func (p Places) File(dir, name string) bool {
	path := name
	if !filepath.IsAbs(name) {
		path = filepath.Join(p.from(dir), name)
	}
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// from is the absolute form of a folder that an evidence command stands in.
func (p Places) from(dir string) string {
	if filepath.IsAbs(dir) {
		return dir
	}
	return filepath.Join(p.Root, dir)
}
