package recipes

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"gopkg.in/yaml.v3"

	"github.com/brickoven/brickoven/recipes/value/pattern"
)

// The mistakes that people make most often in YAML, found by the shape of the
// line, because the reader's own message names neither the place nor the cure.
var (
	bareTemplate  = pattern.Pattern{Source: `^\s*(?:- +)*(?:[\w.-]+ *: +)?(\{\{)`}
	nestedColon   = pattern.Pattern{Source: `^\s*(?:- +)*[\w.-]+ *: +([^"'|>\[{&*!#%@\x60\s].*?): `}
	reportedLine  = pattern.Pattern{Source: `\bline (\d+): `}
	anyTab        = pattern.Pattern{Source: `^[ \t]*\t`}
	leadingTab    = pattern.Pattern{Source: `^ *\t`}
	reservedStart = pattern.Pattern{Source: `^\s*(?:- +)*(?:[\w.-]+ *: +)?([@\x60%])`}
)

const quoteHint = `quote the value: "{{ … }}" or '{{ … }}', or write it as a block after |`

// syntaxFinding turns an error of the YAML reader into a finding at the place
// that is the likeliest cause.
func (doc *document) syntaxFinding(err error) *Finding {
	message, line := splitSyntax(err)
	if strings.Contains(message, "control characters are not allowed") {
		return doc.controlFinding(message)
	}
	if alias, ok := strings.CutPrefix(message, "unknown anchor "); ok {
		if found := doc.search("*"+strings.Trim(strings.TrimSuffix(alias, " referenced"), "'"), "unknown-anchor", message); found != nil {
			return found
		}
	}
	if found := doc.likelyCause(message, line); found != nil {
		return found
	}
	if !strings.Contains(message, "end of stream") {
		line = doc.firstFailing(message, line)
	}
	if at := anyTab.Get().FindStringIndex(doc.line(line)); at != nil && strings.Contains(message, "tab") {
		return doc.cause(line, at[1]-1, "tab-indent", "a tab cannot indent YAML", "indent with spaces")
	}
	for line > 1 && strings.TrimSpace(doc.line(line)) == "" {
		line--
	}
	return doc.findingAt(line, firstColumn(doc.line(line)), "yaml-syntax", "the YAML does not parse: "+message)
}

// splitSyntax takes the reader's message apart. The line is that of the
// enclosing block as often as that of the fault.
func splitSyntax(err error) (message string, line int) {
	message = strings.TrimPrefix(err.Error(), "yaml: ")
	m := reportedLine.Get().FindStringSubmatch(message)
	if m == nil {
		return message, 1
	}
	line, convErr := strconv.Atoi(m[1])
	if convErr != nil {
		line = 1
	}
	return strings.Replace(message, m[0], "", 1), line
}

// firstFailing finds the line of a fault as the shortest beginning of the
// document that fails in the same way; it reads the document a few times over,
// which only a document with a fault has to pay for.
func (doc *document) firstFailing(message string, reported int) int {
	low, high := max(reported-1, 0), len(doc.lines)
	for low+1 < high {
		middle := (low + high) / 2
		var node yaml.Node
		err := yaml.Unmarshal([]byte(strings.Join(doc.lines[:middle], "\n")+"\n"), &node)
		if err != nil && strings.Contains(err.Error(), message) {
			high = middle
		} else {
			low = middle
		}
	}
	return high
}

// likelyCause looks for a known mistake near the reported line. The reader
// reports the beginning of the mapping as often as the line of the fault, so
// lines further down are looked at too, up to the first that shows a mistake.
func (doc *document) likelyCause(message string, line int) *Finding {
	const window = 200
	wantsKey := strings.Contains(message, "expected key") || strings.Contains(message, "expected ',' or '}'") ||
		strings.Contains(message, "node content") || strings.Contains(message, "expected <block end>")
	for n := max(line-1, 1); n <= min(len(doc.lines), line+window); n++ {
		text := doc.line(n)
		if at := bareTemplate.Get().FindStringSubmatchIndex(text); wantsKey && at != nil {
			return doc.cause(n, at[2], "unquoted-template", "a value that starts with {{ is YAML's own syntax", quoteHint)
		}
		if strings.Contains(message, "cannot start any token") {
			if at := leadingTab.Get().FindStringIndex(text); at != nil {
				return doc.cause(n, at[1]-1, "tab-indent", "a tab cannot indent YAML", "indent with spaces")
			}
			if at := reservedStart.Get().FindStringSubmatchIndex(text); at != nil {
				return doc.cause(n, at[2], "yaml-syntax", "a value cannot start with "+text[at[2]:at[3]], "quote the value")
			}
		}
		if at := nestedColon.Get().FindStringSubmatchIndex(text); at != nil && strings.Contains(message, "mapping values are not allowed") {
			return doc.cause(n, at[3], "yaml-syntax", "the value holds `: `, which begins a mapping of its own",
				"quote the whole value, or write it as a block after |")
		}
	}
	return nil
}

func (doc *document) cause(line, offset int, code, message, hint string) *Finding {
	found := doc.findingAt(line, utf8.RuneCountInString(doc.line(line)[:offset])+1, code, message)
	found.Hint = hint
	return found
}

// controlFinding finds the character itself, because the reader does not say
// where it is.
func (doc *document) controlFinding(message string) *Finding {
	for n, text := range doc.lines {
		if i := strings.IndexFunc(text, isForbidden); i >= 0 {
			return doc.cause(n+1, i, "control-character", message, `write it as an escape such as "\x1b" in double quotes`)
		}
	}
	return doc.findingAt(1, 1, "control-character", message)
}

// isForbidden is the complement of the characters that YAML 1.1 allows.
func isForbidden(r rune) bool {
	switch {
	case r == '\t', r == '\n', r == '\r', r == 0x85:
		return false
	case r < 0x20, r >= 0x7f && r < 0xa0, r == 0xfffe, r == 0xffff:
		return true
	}
	return false
}

func (doc *document) search(text, code, message string) *Finding {
	for n, line := range doc.lines {
		if i := strings.Index(line, text); i >= 0 {
			return doc.cause(n+1, i, code, message, "")
		}
	}
	return nil
}

func firstColumn(line string) int {
	return len(line) - len(strings.TrimLeft(line, " \t")) + 1
}
