// Package diff reads unified diffs: git's, with all its extended headers, and
// the plain form of diff -u. It answers one question, which files a diff
// changes, and it answers it from the structure of the diff: hunks are skipped
// by the counts in their headers, so no changed line can pass for a file name.
//
// All functions are pure and safe for concurrent use.
package diff

import (
	"fmt"
	"slices"
	"strings"
)

// Kind is what happened to a file.
type Kind string

// The kinds of change.
const (
	Modified Kind = "modified"
	Added    Kind = "added"
	Deleted  Kind = "deleted"
	Renamed  Kind = "renamed"
	Copied   Kind = "copied"
)

// File is one changed file. Paths are as git means them: unquoted, without the
// a/ and b/ prefixes, with / between folders; bytes that are not UTF-8 are kept.
type File struct {
	// Path is where the file is after the change; for a deletion, where it was.
	Path string
	// From is the path before a rename or a copy; otherwise empty.
	From string
	Kind Kind
	// Binary tells that the change is binary, with or without its data.
	Binary bool
	// Line is where the file's section begins, counting from 1.
	Line int
	// Fault says why the section is incomplete (a hunk that ends early, an
	// index line without any change); empty when it is whole.
	Fault string
}

// Patch is a parsed diff.
type Patch struct {
	// Files are the changed files in the order of the diff; a path can occur
	// more than once when the text holds several commits.
	Files []File
}

// Paths returns the sorted, distinct paths of all files, each where it is after
// the change.
func (p Patch) Paths() []string {
	paths := make([]string, 0, len(p.Files))
	for _, f := range p.Files {
		paths = append(paths, f.Path)
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

// Covers returns the set of paths that the diff shows the change of: every
// whole file, and the old name of a rename. The source of a copy is not
// changed, so it is not covered by the copy.
func (p Patch) Covers() map[string]bool {
	covered := make(map[string]bool, len(p.Files))
	for _, f := range p.Files {
		if f.Fault != "" {
			continue
		}
		covered[f.Path] = true
		if f.Kind == Renamed {
			covered[f.From] = true
		}
	}
	return covered
}

// Faults lists what is incomplete in the diff, each with its line and file.
func (p Patch) Faults() []string {
	var faults []string
	for _, f := range p.Files {
		if f.Fault != "" {
			faults = append(faults, fmt.Sprintf("line %d: %s: %s", f.Line, f.Path, f.Fault))
		}
	}
	return faults
}

// Parse reads a diff. It never fails: text between the files (commit messages,
// the output of other tools) is skipped, and a file section that is cut off is
// returned with its Fault.
func Parse(text string) Patch {
	p := &parser{lines: strings.Split(text, "\n")}
	for p.at < len(p.lines) {
		line := p.line()
		switch {
		case strings.HasPrefix(line, "diff --git "):
			p.gitFile(strings.TrimPrefix(line, "diff --git "))
		case strings.HasPrefix(line, "diff --cc "), strings.HasPrefix(line, "diff --combined "):
			_, rest, _ := strings.Cut(strings.TrimPrefix(line, "diff "), " ")
			p.combinedFile(rest)
		case strings.HasPrefix(line, "Submodule "):
			p.submodule(line)
		case p.atPlainHeader():
			p.plainFile()
		default:
			p.at++
		}
	}
	return Patch{Files: p.files}
}

// parser walks the lines of a diff.
type parser struct {
	lines []string
	at    int
	files []File
}

// line returns the current line without a carriage return, which only file
// headers are read through; hunks count lines and do not look at their ends.
func (p *parser) line() string {
	return strings.TrimSuffix(p.lines[p.at], "\r")
}

// more tells whether a line is left; the empty piece after the last line break
// is not a line.
func (p *parser) more() bool {
	return p.at < len(p.lines)-1 || p.at == len(p.lines)-1 && p.lines[p.at] != ""
}

// submodule reads the one-line form of git diff --submodule=log.
func (p *parser) submodule(line string) {
	rest := strings.TrimPrefix(line, "Submodule ")
	name, found := cutSubmodule(rest)
	if found {
		p.files = append(p.files, File{Path: name, Kind: Modified, Line: p.at + 1})
	}
	p.at++
}

func cutSubmodule(text string) (name string, found bool) {
	for _, mark := range []string{" contains untracked content", " contains modified content"} {
		if name, found = strings.CutSuffix(text, mark); found {
			return name, true
		}
	}
	for i := strings.LastIndexByte(text, ' '); i > 0; i = strings.LastIndexByte(text[:i], ' ') {
		span, _, _ := strings.Cut(text[i+1:], " ")
		from, to, dotted := strings.Cut(strings.TrimSuffix(span, ":"), "..")
		if dotted && isHash(from) && isHash(strings.TrimPrefix(to, ".")) {
			return text[:i], true
		}
	}
	return "", false
}

func isHash(text string) bool {
	if len(text) < 4 {
		return false
	}
	return strings.Trim(text, "0123456789abcdef") == ""
}
