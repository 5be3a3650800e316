package diff

import "strings"

// header collects the extended header lines of one git file section.
type header struct {
	names            string // the rest of the diff --git line
	old, new         string // from the --- and +++ lines, prefixes included
	from, to         string // from the rename and copy lines
	kind             Kind
	indexed, emptied bool
	binary           bool
}

// gitFile reads the section that a diff --git line opens.
func (p *parser) gitFile(names string) {
	f := File{Line: p.at + 1}
	h := header{names: names, kind: Modified}
	p.at++
	for p.more() && h.read(p.line()) {
		p.at++
		if h.binary {
			break
		}
	}
	if h.binary {
		p.skipBinary()
	}
	f.Path, f.From = h.paths()
	f.Kind, f.Binary = h.kind, h.binary
	count, fault := p.hunks()
	f.Fault = fault
	if fault == "" && count == 0 && h.wantsHunk() {
		f.Fault = "the section has no hunk"
	}
	if f.Path == "" {
		f.Path, f.Fault = names, "the names of the file can not be read"
	}
	p.files = append(p.files, f)
}

// read takes one header line; false ends the header.
func (h *header) read(line string) bool {
	word, rest, _ := strings.Cut(line, " ")
	switch word {
	case "old", "new", "deleted":
		if !strings.HasPrefix(rest, "mode ") && !strings.HasPrefix(rest, "file mode ") {
			return false
		}
		h.modeLine(word, rest)
	case "rename", "copy":
		return h.moveLine(word, rest)
	case "similarity", "dissimilarity":
		return strings.HasPrefix(rest, "index ")
	case "index":
		h.indexed = true
		from, to, _ := strings.Cut(rest, "..")
		to, _, _ = strings.Cut(to, " ")
		h.emptied = isEmptyBlob(from) || isEmptyBlob(to)
	case "---":
		h.old = headerName(rest)
	case "+++":
		h.new = headerName(rest)
	case "Binary":
		h.binary = strings.HasPrefix(rest, "files ") && strings.HasSuffix(rest, " differ")
		return h.binary
	case "GIT":
		h.binary = rest == "binary patch"
		return h.binary
	default:
		return false
	}
	return true
}

func (h *header) modeLine(word, rest string) {
	switch {
	case word == "deleted":
		h.kind = Deleted
	case word == "new" && strings.HasPrefix(rest, "file "):
		h.kind = Added
	}
}

func (h *header) moveLine(word, rest string) bool {
	h.kind = Renamed
	if word == "copy" {
		h.kind = Copied
	}
	if name, ok := strings.CutPrefix(rest, "from "); ok {
		h.from = Unquote(name)
		return true
	}
	name, ok := strings.CutPrefix(rest, "to ")
	if ok {
		h.to = Unquote(name)
	}
	return ok
}

// emptyBlobs are git's names of the empty file, in SHA-1 and SHA-256.
var emptyBlobs = [...]string{
	"e69de29bb2d1d6434b8b29ae775ad8c2e48c5391",
	"473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813",
}

func isEmptyBlob(hash string) bool {
	if len(hash) < 4 {
		return false
	}
	return strings.HasPrefix(emptyBlobs[0], hash) || strings.HasPrefix(emptyBlobs[1], hash)
}

// wantsHunk tells that the header promises a change of the contents that the
// section does not show. An empty file that is added or deleted, a pure rename
// and a change of mode have none to show.
func (h *header) wantsHunk() bool {
	if !h.indexed || h.binary {
		return false
	}
	created := h.kind == Added || h.kind == Deleted
	return !created || !h.emptied
}

// paths decides the file's names from the header lines, the surest first.
func (h *header) paths() (path, from string) {
	if h.from != "" && h.to != "" {
		return h.to, h.from
	}
	if name := samePath(h.names); name != "" {
		return name, ""
	}
	oldSide, newSide := h.old, h.new
	if newSide == "" || newSide == devNull {
		return stripFolder(oldSide), ""
	}
	return stripFolder(newSide), ""
}

const devNull = "/dev/null"

// headerName reads the name on a --- or +++ line. Git ends a name that holds a
// space with a tab, diff -u puts a time behind one.
func headerName(rest string) string {
	if strings.HasPrefix(rest, `"`) {
		name, _ := cutQuoted(rest)
		return name
	}
	name, _, _ := strings.Cut(rest, "\t")
	return name
}

// samePath reads the two names of a diff --git line that name one file, with
// any pair of prefixes (a/ b/, i/ w/, none, others). Empty means that no such
// reading exists.
func samePath(names string) string {
	if strings.HasPrefix(names, `"`) {
		old, rest := cutQuoted(names)
		return oneName(old, Unquote(strings.TrimPrefix(rest, " ")))
	}
	if i := strings.Index(names, ` "`); i >= 0 && strings.HasSuffix(names, `"`) {
		if name := oneName(names[:i], Unquote(names[i+1:])); name != "" {
			return name
		}
	}
	// The prefixes are nearly always equally long, so the middle comes first.
	if middle := len(names) / 2; len(names)%2 == 1 && names[middle] == ' ' {
		if name := oneName(names[:middle], names[middle+1:]); name != "" {
			return name
		}
	}
	for i := range len(names) {
		if names[i] == ' ' {
			if name := oneName(names[:i], names[i+1:]); name != "" {
				return name
			}
		}
	}
	return ""
}

func oneName(old, new string) string {
	if old == new {
		return new
	}
	_, oldRest, oldFolder := strings.Cut(old, "/")
	_, newRest, newFolder := strings.Cut(new, "/")
	if oldFolder && newFolder && oldRest == newRest {
		return newRest
	}
	return ""
}

// stripFolder takes the a/ or b/ off a name.
func stripFolder(name string) string {
	if len(name) > 2 && name[1] == '/' && strings.IndexByte("abciow12", name[0]) >= 0 {
		return name[2:]
	}
	return name
}

// skipBinary passes the data lines of a binary patch: blocks that end with an
// empty line each. They hold no spaces, so a header line ends them as well.
func (p *parser) skipBinary() {
	for p.more() && !strings.Contains(p.line(), " ") {
		p.at++
	}
	for p.more() && (strings.HasPrefix(p.line(), "literal ") || strings.HasPrefix(p.line(), "delta ")) {
		p.at++
		for p.more() && !strings.Contains(p.line(), " ") {
			p.at++
		}
	}
}
