package evidence

import (
	"path"
	"strings"
)

// anyDepth is the segment of a glob that stands for any number of folders.
const anyDepth = "**"

// splitGlob cuts a pattern into the folder before its first wildcard and the
// segments after it. A pattern without a wildcard names a file, or a folder
// with all that is in it.
func splitGlob(pattern string) (root string, glob []string) {
	segments := strings.Split(path.Clean(pattern), "/")
	first := 0
	for first < len(segments) && !isWild(segments[first]) {
		first++
	}
	if last := segments[len(segments)-1]; first == len(segments) && last != "." && last != ".." {
		first-- // the last name may be a file
	}
	root = strings.Join(segments[:first], "/")
	if root == "" {
		root = "."
		if strings.HasPrefix(pattern, "/") {
			root = "/"
		}
	}
	glob = segments[first:]
	if len(glob) == 0 || !isWild(glob[len(glob)-1]) {
		glob = append(glob[:len(glob):len(glob)], anyDepth)
	}
	return root, glob
}

func isWild(segment string) bool { return strings.ContainsAny(segment, "*?[") }

func checkGlob(glob []string) error {
	for _, segment := range glob {
		if _, err := path.Match(segment, ""); err != nil {
			return err
		}
	}
	return nil
}

// matchGlob matches the segments of a path; ** matches any number of them, and
// none. Each segment was checked by checkGlob.
func matchGlob(glob, names []string) bool {
	for len(glob) > 0 && glob[0] != anyDepth {
		if len(names) == 0 {
			return false
		}
		if ok, err := path.Match(glob[0], names[0]); err != nil || !ok {
			return false
		}
		glob, names = glob[1:], names[1:]
	}
	if len(glob) == 0 {
		return len(names) == 0
	}
	for skip := 0; skip <= len(names); skip++ {
		if matchGlob(glob[1:], names[skip:]) {
			return true
		}
	}
	return false
}

// leadsTo reports whether files that match may lie below the folder with these
// segments, so that a walk can pass over all others.
func leadsTo(glob, folder []string) bool {
	for i, name := range folder {
		if i == len(glob) {
			return false
		}
		if glob[i] == anyDepth {
			return true
		}
		if ok, err := path.Match(glob[i], name); err != nil || !ok {
			return false
		}
	}
	return true
}
