package session

import (
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"slices"
)

// Manifest is what a session's folder holds: for each file its path inside the
// folder, with slashes, and a mark of its content, as [Mark] gives it for plain
// files. Whatever is neither a file nor a folder has a mark of its own kind.
type Manifest map[string]string

// Mark is the mark of a plain file's content.
func Mark(content []byte) string {
	sum := sha256.Sum256(content)
	return "sha256:" + hex.EncodeToString(sum[:])
}

// Snapshot is the manifest of plain files.
func Snapshot(files map[string][]byte) Manifest {
	m := make(Manifest, len(files))
	for path, content := range files {
		m[path] = Mark(content)
	}
	return m
}

// Change says what became of a file.
type Change string

// The changes of a file.
const (
	Added   Change = "added"
	Removed Change = "removed"
	Changed Change = "changed"
)

// Difference is one file that is not as the engine left it.
type Difference struct {
	Path   string `json:"path"`
	Change Change `json:"change"`
	// Before and After are the marks; empty where there is no file.
	Before string `json:"before,omitempty"`
	After  string `json:"after,omitempty"`
}

// Compare lists, by path, the differences between what the engine left and what
// is there now. allowed tells which paths may differ; nil allows none.
func Compare(before, after Manifest, allowed func(path string) bool) []Difference {
	var found []Difference
	paths := maps.Clone(after)
	if paths == nil {
		paths = Manifest{}
	}
	maps.Copy(paths, before)
	for _, path := range slices.Sorted(maps.Keys(paths)) {
		was, had := before[path]
		is, has := after[path]
		if had == has && was == is || allowed != nil && allowed(path) {
			continue
		}
		d := Difference{Path: path, Change: Changed, Before: was, After: is}
		switch {
		case !had:
			d.Change = Added
		case !has:
			d.Change = Removed
		}
		found = append(found, d)
	}
	return found
}

// Allowed gives the paths that the iteration with a folder name may write: the
// control file and its own goal check. Between iterations the name is empty.
func Allowed(iteration string) func(path string) bool {
	return func(path string) bool {
		return path == ControlFile || iteration != "" && path == IterationsDir+"/"+iteration+"/"+GoalCheckFile
	}
}
