package template

import "strings"

// Part is a stretch of a source: literal text or one placeholder. The parts of
// a source follow each other without a gap.
type Part struct {
	// Start and End are the byte range in the source, braces included.
	Start, End int
	// Literal tells text from a placeholder.
	Literal bool
	// Text is what a literal part stands for. It is the source itself, but for
	// the escape \{{, which is a part of its own and stands for {{.
	Text string
	// Inner is what a placeholder has between its braces, white space and trim
	// markers included.
	Inner string
}

// Scan cuts source into literal text and placeholders without looking into the
// placeholders further than to find where they end: braces inside quotes do not
// close one. The error is an [*Error]: an opening {{ that nothing closes, or
// three and more opening braces in a row.
func Scan(source string) ([]Part, error) {
	parts, faults := scan(source)
	if len(faults) > 0 {
		return nil, faults[0].locate(source)
	}
	return parts, nil
}

const (
	opening = "{{"
	closing = "}}"
	escape  = `\{{`
)

// scan is Scan with every fault: the braces at fault stay literal text.
func scan(source string) (parts []Part, faults []*fault) {
	s := scanner{source: source}
	for s.pos < len(source) {
		s.next()
	}
	s.literal(len(source))
	return s.parts, s.faults
}

type scanner struct {
	source string
	// from is where the pending literal text begins, pos what is read up to.
	from, pos int
	parts     []Part
	faults    []*fault
	// closed is the offset of the first }} at or after pos, once looked for;
	// unterminated[q] is where the line ends that holds no closing quote q.
	// Both keep the scan linear on text full of braces and quotes.
	closed       int
	unterminated [256]int
}

// next reads up to the end of the next escape, placeholder or stray braces.
func (s *scanner) next() {
	i := strings.Index(s.source[s.pos:], opening)
	if i < 0 {
		s.pos = len(s.source)
		return
	}
	at := s.pos + i
	if at > s.from && s.source[at-1] == '\\' {
		s.literal(at - 1)
		s.pos = at + len(opening)
		s.parts = append(s.parts, Part{Start: at - 1, End: s.pos, Literal: true, Text: opening})
		s.from = s.pos
		return
	}
	if run := len(s.source[at:]) - len(strings.TrimLeft(s.source[at:], "{")); run > len(opening) {
		s.fault(at, "more than two opening braces in a row are no placeholder")
		s.pos = at + run
		return
	}
	end, ok := s.end(at + len(opening))
	if !ok {
		s.fault(at, "this {{ is not closed")
		s.pos = at + len(opening)
		return
	}
	s.literal(at)
	s.parts = append(s.parts, Part{Start: at, End: end, Inner: s.source[at+len(opening) : end-len(closing)]})
	s.pos, s.from = end, end
}

// literal ends the pending literal text at end.
func (s *scanner) literal(end int) {
	if end > s.from {
		s.parts = append(s.parts, Part{Start: s.from, End: end, Literal: true, Text: s.source[s.from:end]})
	}
	s.from = end
}

func (s *scanner) fault(at int, message string) {
	s.faults = append(s.faults, &fault{offset: at, message: message})
}

// end finds the end of the placeholder whose inside begins at start. ok is
// false when it is not closed, or when another one opens before.
func (s *scanner) end(start int) (end int, ok bool) {
	first := s.firstClosing(start)
	if first < 0 {
		return 0, false
	}
	if strings.HasPrefix(strings.TrimLeft(s.source[start:first], "- \t\r\n"), "/*") {
		if i := strings.Index(s.source[start:], "*/"); i >= 0 {
			first = s.firstClosing(start + i)
			return first + len(closing), first >= 0
		}
	}
	for i := start; i < len(s.source); {
		switch c := s.source[i]; {
		case c == '"' || c == '\'' || c == '`':
			after := s.afterQuote(i, c)
			if after < 0 {
				return first + len(closing), !strings.Contains(s.source[start:first], opening)
			}
			i = after
		case strings.HasPrefix(s.source[i:], closing):
			return i + len(closing), true
		case strings.HasPrefix(s.source[i:], opening):
			return 0, false
		default:
			i++
		}
	}
	return 0, false
}

// firstClosing finds the first }} at or after start, quotes or not; -1 is none.
func (s *scanner) firstClosing(start int) int {
	if s.closed < 0 || s.closed >= start {
		return s.closed
	}
	s.closed = -1
	if i := strings.Index(s.source[start:], closing); i >= 0 {
		s.closed = start + i
	}
	return s.closed
}

// afterQuote finds the end of the quoted text that begins at i; -1 when it has
// none. Only `raw text` may span lines.
func (s *scanner) afterQuote(i int, quote byte) int {
	if i < s.unterminated[quote] {
		return -1
	}
	for j := i + 1; j < len(s.source); j++ {
		switch c := s.source[j]; {
		case c == quote:
			return j + 1
		case c == '\n' && quote != '`':
			s.unterminated[quote] = j
			return -1
		case c == '\\' && quote != '`' && j+1 < len(s.source) && s.source[j+1] != '\n':
			j++
		}
	}
	s.unterminated[quote] = len(s.source)
	return -1
}
