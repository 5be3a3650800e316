package agent

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// DefaultMaxBytes bounds the files of a prompt together where the step does not.
const DefaultMaxBytes = 256 << 10

// Attachment is what files: adds to a prompt.
type Attachment struct {
	// Text goes behind the prompt; empty where there is no file.
	Text string
	// Files are the paths that are in it, as they were found, sorted within each
	// pattern.
	Files []string
	// Remarks tell what is missing or cut.
	Remarks []string
}

// Attach reads the files that paths and globs name, relative to dir, into one
// text of at most max bytes of content; zero is [DefaultMaxBytes]. In a glob *
// stays within a folder, ** crosses folders and leaves .git out. A relative path
// may not lead out of dir, nor may a symbolic link. A path without a glob must
// be there. What is too long is cut and says so; what is no text is left out.
func Attach(dir string, patterns []string, max int64) (Attachment, error) {
	if max <= 0 {
		max = DefaultMaxBytes
	}
	root, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return Attachment{}, fmt.Errorf("files: %w", err)
	}
	var a Attachment
	var text strings.Builder
	for _, pattern := range patterns {
		found, err := match(root, filepath.ToSlash(pattern))
		if err != nil {
			return Attachment{}, fmt.Errorf("files: %s: %w", pattern, err)
		}
		if len(found) == 0 {
			a.Remarks = append(a.Remarks, fmt.Sprintf("files: %s matches no file", pattern))
		}
		for _, name := range found {
			if slices.Contains(a.Files, name) {
				continue
			}
			used, err := a.add(&text, root, name, max)
			if err != nil {
				return Attachment{}, fmt.Errorf("files: %w", err)
			}
			max -= used
		}
	}
	a.Text = text.String()
	return a, nil
}

// add writes one file with its fence.
func (a *Attachment) add(text *strings.Builder, root, name string, room int64) (used int64, err error) {
	if room <= 0 {
		a.Remarks = append(a.Remarks, fmt.Sprintf("files: %s is left out, max_bytes is used up", name))
		return 0, nil
	}
	content, left, err := load(root, name, room)
	if err != nil {
		return 0, err
	}
	if bytes.IndexByte(content, 0) >= 0 {
		a.Remarks = append(a.Remarks, fmt.Sprintf("files: %s is no text and is left out", name))
		return 0, nil
	}
	a.Files = append(a.Files, name)
	body := strings.ToValidUTF8(string(content), "\uFFFD")
	fmt.Fprintf(text, "\n\nFile %s:\n%s", label(name), Fenced(body))
	if left > 0 {
		a.Remarks = append(a.Remarks, fmt.Sprintf("files: %s is cut, %d bytes are left out", name, left))
		fmt.Fprintf(text, "\n(%d more bytes of this file are left out.)", left)
	}
	return int64(len(content)), nil
}

// load reads at most room bytes of a file and says how many are left.
func load(root, name string, room int64) (content []byte, left int64, err error) {
	full := name
	if !filepath.IsAbs(name) {
		full = filepath.Join(root, filepath.FromSlash(name))
		real, err := filepath.EvalSymlinks(full)
		if err != nil {
			return nil, 0, err
		}
		if !within(root, real) {
			return nil, 0, fmt.Errorf("%s leads out of the working directory", name)
		}
	}
	info, err := os.Stat(full)
	if err != nil {
		return nil, 0, err
	}
	if !info.Mode().IsRegular() {
		return nil, 0, fmt.Errorf("%s is no file", name)
	}
	file, err := os.Open(full)
	if err != nil {
		return nil, 0, err
	}
	content, err = io.ReadAll(io.LimitReader(file, room))
	if err = errors.Join(err, file.Close()); err != nil {
		return nil, 0, err
	}
	left = max(0, info.Size()-int64(len(content)))
	if left > 0 {
		whole := len(content)
		for whole > 0 && whole > len(content)-utf8.UTFMax && !utf8.Valid(content[:whole]) {
			whole--
		}
		if utf8.Valid(content[:whole]) {
			left += int64(len(content) - whole)
			content = content[:whole]
		}
	}
	return content, left, nil
}

func within(root, full string) bool {
	rel, err := filepath.Rel(root, full)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

// Fenced puts a text between fences that no line of it can be taken for.
func Fenced(text string) string {
	longest, run := 2, 0
	for i := range len(text) {
		if text[i] == '`' {
			run++
			longest = max(longest, run)
		} else {
			run = 0
		}
	}
	fence := strings.Repeat("`", longest+1)
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	return fence + "\n" + text + fence
}

// label is a file's name in one line that cannot look like anything else.
func label(name string) string {
	for _, r := range name {
		if r < ' ' || r == '`' || r == utf8.RuneError || !strconv.IsPrint(r) {
			return strconv.Quote(name)
		}
	}
	return name
}

// match finds the files of a pattern, relative to root with slashes.
func match(root, pattern string) ([]string, error) {
	if path.IsAbs(pattern) || filepath.IsAbs(pattern) {
		return filepath.Glob(pattern)
	}
	clean := path.Clean(pattern)
	if clean == ".." || strings.HasPrefix(clean, "../") {
		return nil, errors.New("leads out of the working directory")
	}
	if !strings.ContainsAny(clean, `*?[`) {
		_, err := os.Stat(filepath.Join(root, filepath.FromSlash(clean)))
		return []string{clean}, err
	}
	if _, err := path.Match(clean, ""); err != nil {
		return nil, err
	}
	parts := strings.Split(clean, "/")
	var found []string
	err := fs.WalkDir(os.DirFS(root), ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil && name == ".":
			return err
		case err != nil:
			return nil
		case entry.IsDir() && entry.Name() == ".git":
			return fs.SkipDir
		case entry.IsDir() && name != "." && !matchPrefix(parts, strings.Split(name, "/")):
			return fs.SkipDir
		case !entry.IsDir() && matchParts(parts, strings.Split(name, "/")):
			found = append(found, name)
		}
		return nil
	})
	return found, err
}

func matchParts(pattern, name []string) bool {
	switch {
	case len(pattern) == 0:
		return len(name) == 0
	case pattern[0] == "**":
		return matchParts(pattern[1:], name) || len(name) > 0 && matchParts(pattern, name[1:])
	case len(name) == 0:
		return false
	}
	ok, err := path.Match(pattern[0], name[0])
	return ok && err == nil && matchParts(pattern[1:], name[1:])
}

// matchPrefix reports whether a folder can hold matches.
func matchPrefix(pattern, folder []string) bool {
	for i, part := range folder {
		if i >= len(pattern)-1 && (i >= len(pattern) || pattern[i] != "**") {
			return false
		}
		if pattern[i] == "**" {
			return true
		}
		if ok, err := path.Match(pattern[i], part); !ok || err != nil {
			return false
		}
	}
	return true
}
