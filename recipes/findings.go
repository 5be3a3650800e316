package recipes

import (
	"cmp"
	"slices"
	"strings"
)

// Findings are all the faults and warnings of a document, or of a tree of
// documents, in the order of the text. As an error it lists every one of them.
type Findings []*Finding

// Error prints the findings one below the other, faults only where there are any.
func (f Findings) Error() string {
	list := f.Errors()
	if len(list) == 0 {
		list = f
	}
	texts := make([]string, len(list))
	for i, finding := range list {
		texts[i] = finding.Error()
	}
	return strings.Join(texts, "\n")
}

// Unwrap gives the single findings to [errors.As].
func (f Findings) Unwrap() []error {
	list := make([]error, len(f))
	for i, finding := range f {
		list[i] = finding
	}
	return list
}

// Errors returns the findings that stop a run.
func (f Findings) Errors() Findings { return f.filter(false) }

// Warnings returns the findings that do not stop a run.
func (f Findings) Warnings() Findings { return f.filter(true) }

// Codes lists the code of every finding, in order.
func (f Findings) Codes() []string {
	codes := make([]string, len(f))
	for i, finding := range f {
		codes[i] = finding.Code
	}
	return codes
}

func (f Findings) filter(warning bool) Findings {
	var list Findings
	for _, finding := range f {
		if finding.Warning == warning {
			list = append(list, finding)
		}
	}
	return list
}

// err returns the findings as an error where at least one of them is a fault.
func (f Findings) err() error {
	if len(f.Errors()) == 0 {
		return nil
	}
	return f
}

// unique leaves out what was found before: a document that several calls read
// with different variables says the same each time.
func (f Findings) unique() Findings {
	said := map[string]bool{}
	return slices.DeleteFunc(f, func(finding *Finding) bool {
		key := finding.Code + "\x00" + finding.Pos.String() + "\x00" + finding.Message
		before := said[key]
		said[key] = true
		return before
	})
}

// sort puts the findings in the order of the text; files keep the order in
// which they are first named.
func (f Findings) sort() {
	files := map[string]int{}
	for _, finding := range f {
		if _, known := files[finding.Pos.File]; !known {
			files[finding.Pos.File] = len(files)
		}
	}
	slices.SortStableFunc(f, func(a, b *Finding) int {
		return cmp.Or(cmp.Compare(files[a.Pos.File], files[b.Pos.File]),
			cmp.Compare(a.Pos.Line, b.Pos.Line), cmp.Compare(a.Pos.Column, b.Pos.Column))
	})
}
