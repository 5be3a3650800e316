package diff

import "strings"

// combinedFile reads the section of a merge, whose head names the file once.
func (p *parser) combinedFile(name string) {
	f := File{Path: Unquote(name), Kind: Modified, Line: p.at + 1}
	p.at++
	for p.more() {
		line := p.line()
		if _, hunk := parseHunk(line); hunk {
			break
		}
		word, _, _ := strings.Cut(line, " ")
		switch word {
		case "index", "mode", "---", "+++":
		case "new":
			f.Kind = Added
		case "deleted":
			f.Kind = Deleted
		case "Binary":
			f.Binary = true
		default:
			p.finish(f, f.Binary)
			return
		}
		p.at++
	}
	p.finish(f, f.Binary || f.Kind != Modified)
}

// finish reads the hunks of a section and appends the file.
func (p *parser) finish(f File, mayLackHunks bool) {
	count, fault := p.hunks()
	f.Fault = fault
	if count == 0 && fault == "" && !mayLackHunks {
		f.Fault = "the section has no hunk"
	}
	if f.Path == "" {
		f.Fault = "the names of the file can not be read"
	}
	p.files = append(p.files, f)
}

// atPlainHeader tells whether the current three lines open a section without a
// diff --git line. Anything less is text between the files.
func (p *parser) atPlainHeader() bool {
	if p.at+2 >= len(p.lines) || !strings.HasPrefix(p.line(), "--- ") ||
		!strings.HasPrefix(p.lines[p.at+1], "+++ ") {
		return false
	}
	_, hunk := parseHunk(strings.TrimSuffix(p.lines[p.at+2], "\r"))
	return hunk
}

func (p *parser) plainFile() {
	f := File{Kind: Modified, Line: p.at + 1}
	old := headerName(strings.TrimPrefix(p.line(), "--- "))
	p.at++
	changed := headerName(strings.TrimPrefix(p.line(), "+++ "))
	p.at++
	switch {
	case old == devNull:
		f.Kind, f.Path = Added, stripFolder(changed)
	case changed == devNull:
		f.Kind, f.Path = Deleted, stripFolder(old)
	default:
		f.Path = oneName(old, changed)
		if f.Path == "" {
			f.Path = changed
		}
	}
	p.finish(f, false)
}
