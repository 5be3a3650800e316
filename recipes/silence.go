package recipes

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/brickoven/brickoven/recipes/value/pattern"
)

// directive is a comment that silences the findings of one code on its line:
//
//	# brickoven: ignore CODE reason
//
// It stands on the line of the finding, alone on the line above, or behind the
// | of the block that holds the finding.
type directive struct {
	code, reason string
	line, column int
	used         bool
}

var (
	directiveText = pattern.Pattern{Source: `#\s*brickoven:\s*ignore\b[ \t]*([\w-]*)[ \t]*(.*)$`, Needs: []string{"brickoven"}}
	blockHeader   = pattern.Pattern{Source: `[|>][-+0-9]*\s*(#.*)?$`}
)

// Silence takes out the warnings that a comment on their line silences, in the
// documents of the tree. Faults stay, because the run would stop at them all
// the same. Comments without a reason, and comments that silence nothing, are
// findings of their own; the latter only where all is set, which says that
// found holds every finding there is.
func (t *Tree) Silence(found Findings, all bool) (kept, silenced Findings) {
	s := silencer{docs: map[string]*document{}, directives: map[string][]*directive{}}
	for _, recipe := range t.All {
		s.add(recipe.doc)
	}
	for _, f := range found {
		if f.Warning && s.silences(f) {
			silenced = append(silenced, f)
		} else {
			kept = append(kept, f)
		}
	}
	if all {
		kept = append(kept, s.remarks()...)
	}
	kept.sort()
	return kept, silenced
}

type silencer struct {
	docs       map[string]*document
	order      []string
	directives map[string][]*directive // by file
}

func (s *silencer) add(doc *document) {
	if doc == nil || s.docs[doc.source.Path] != nil {
		return
	}
	path := doc.source.Path
	s.docs[path] = doc
	s.order = append(s.order, path)
	for n, line := range doc.lines {
		for _, at := range directiveText.FindAll(line) {
			s.directives[path] = append(s.directives[path], &directive{
				code: line[at[2]:at[3]], reason: strings.TrimSpace(line[at[4]:at[5]]),
				line: n + 1, column: utf8.RuneCountInString(line[:at[0]]) + 1,
			})
		}
	}
	for _, owner := range doc.owners {
		s.add(owner)
	}
}

// silences finds the directive for a warning. One without a reason does not
// count.
func (s *silencer) silences(f *Finding) bool {
	doc := s.docs[f.Pos.File]
	if doc == nil {
		return false
	}
	for _, d := range s.directives[f.Pos.File] {
		if d.code == f.Code && d.reason != "" && doc.covers(d.line, f.Pos.Line) {
			d.used = true
			return true
		}
	}
	return false
}

// covers tells whether a comment in one line speaks about another.
func (doc *document) covers(comment, line int) bool {
	if comment == line || comment == line-1 && strings.HasPrefix(strings.TrimSpace(doc.line(comment)), "#") {
		return true
	}
	return comment < line && blockHeader.Get().MatchString(doc.line(comment)) && comment == doc.header(line)
}

// header is the line above n that is moved in less, which is where the block
// begins that line n lies in.
func (doc *document) header(n int) int {
	own := indentation(doc.line(n))
	for above := n - 1; above > 0; above-- {
		if text := doc.line(above); strings.TrimSpace(text) != "" && indentation(text) < own {
			return above
		}
	}
	return 0
}

func indentation(line string) int { return len(line) - len(strings.TrimLeft(line, " ")) }

// remarks are the directives that do nothing.
func (s *silencer) remarks() Findings {
	var found Findings
	for _, path := range s.order {
		for _, d := range s.directives[path] {
			code, message := "unused-ignore", fmt.Sprintf("the comment silences no warning %s here", quoteShort(d.code))
			switch {
			case d.used:
				continue
			case d.code == "" || d.reason == "":
				code, message = "ignore-without-reason", "the comment silences nothing, because it gives no reason"
			}
			remark := s.docs[path].findingAt(d.line, d.column, code, message)
			remark.Hint, remark.Warning = "write # brickoven: ignore CODE reason on the line of the finding", true
			found = append(found, remark)
		}
	}
	return found
}
