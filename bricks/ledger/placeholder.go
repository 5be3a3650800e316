package ledger

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/brickoven/brickoven/recipes/value/pattern"
)

// A placeholder is a word that stands for a value nobody filled in. Commands
// that look for such words, and redirections, are not placeholders: what counts
// is where the word stands in the parsed command.
var (
	angleMark  = pattern.Pattern{Source: `<[A-Za-z][A-Za-z0-9_ -]*>`}
	quotedMark = pattern.Pattern{Source: `^(?:--?[A-Za-z-]+=)?<(?:[A-Za-z][A-Za-z0-9]*[ _-][A-Za-z0-9_ -]*|[A-Z][A-Z0-9]*)>$`}
	braceMark  = pattern.Pattern{Source: `\{\{\s*[A-Za-z_][\w-]*\s*\}\}`}
	todoMark   = pattern.Pattern{Source: `(?:^|[^A-Za-z0-9])(TBD|FIXME|XXX)(?:$|[^A-Za-z0-9])`}
	longFlag   = pattern.Pattern{Source: `^--([a-z][a-z-]*)(?:=([A-Z]{1,2}))?$`}
	shortWord  = pattern.Pattern{Source: `^[A-Z]{1,2}$`}
)

// searchers take such words as what they look for.
var searchers = []string{"grep", "egrep", "fgrep", "rg", "ag", "ack", "sed", "awk", "git", "mktemp"}

func placeholderFault(mark string) string {
	return "carries the unresolved placeholder " + mark
}

// placeholders checks the words of one simple command.
func (c *commandCheck) placeholders(call *syntax.CallExpr) {
	searching := false
	if len(call.Args) > 0 {
		name, _ := wordText(call.Args[0])
		searching = slices.Contains(searchers, path.Base(name))
	}
	for i, w := range call.Args {
		text, _ := wordText(w)
		if mark := braceMark.Get().FindString(text); mark != "" {
			c.add("%s", placeholderFault(mark))
		}
		if quotedMark.Get().MatchString(text) {
			c.add("%s", placeholderFault(text))
		}
		todo := todoMark.Get().FindStringSubmatch(bareText(w))
		if todo == nil && slices.Contains([]string{"TBD", "FIXME", "XXX"}, text) {
			todo = []string{"", text}
		}
		if todo != nil && !searching {
			c.add("%s", placeholderFault(todo[1]))
		}
		if i+1 < len(call.Args) {
			c.flagValue(w, call.Args[i+1])
		} else {
			c.flagValue(w, nil)
		}
	}
}

// flagValue finds --root R: a long option whose value is its own initial, or
// the N or X that stands for any number or thing. "--mode A" is a value.
func (c *commandCheck) flagValue(flag, next *syntax.Word) {
	text, _ := wordText(flag)
	found := longFlag.Get().FindStringSubmatch(text)
	if found == nil {
		return
	}
	word, bare := found[2], true
	if word == "" && next != nil {
		word, _ = wordText(next)
		bare = bareText(next) == word
		word = strings.TrimRight(word, ",")
	}
	if !shortWord.Get().MatchString(word) {
		return
	}
	unnamed := bare && slices.Contains([]string{"N", "X", "XX"}, word)
	if unnamed || word == initials(found[1]) || word == strings.ToUpper(found[1][:1]) {
		c.add("%s", placeholderFault("--"+found[1]+" "+word))
	}
}

func initials(flag string) string {
	var b strings.Builder
	for part := range strings.SplitSeq(flag, "-") {
		if part != "" {
			b.WriteString(strings.ToUpper(part[:1]))
		}
	}
	return b.String()
}

// redirects finds <name>, which the shell reads as two redirections without a
// space between them.
func (c *commandCheck) redirects(redirs []*syntax.Redirect) {
	for i, in := range redirs {
		if in.Word == nil || in.Op != syntax.RdrIn && in.Op != syntax.RdrOut {
			continue
		}
		text := bareText(in.Word)
		if todoMark.Get().MatchString(text) {
			c.add("%s", placeholderFault(text))
		}
		if i+1 == len(redirs) || in.Op != syntax.RdrIn || redirs[i+1].Op != syntax.RdrOut {
			continue
		}
		if redirs[i+1].OpPos == in.Word.End() && angleMark.Get().MatchString("<"+text+">") {
			c.add("%s", placeholderFault("<"+text+">"))
		}
	}
}
