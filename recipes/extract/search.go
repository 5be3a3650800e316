package extract

import "strings"

// search finds the last answer among the lists and maps of text, in one pass.
//
// Two machines are enough for every place where a value may begin. A brace that
// the machine at work reads as structure is part of its stack: it begins a
// value of its own exactly if it is closed before the machine dies, because a
// machine started there would read the same bytes in the same way. A brace
// inside a string of the one machine is taken up by the other, and from there
// on the two see every quote from opposite sides; a backslash outside of a
// string kills, so they cannot fall into step.
func search(text, field string) (span, bool) {
	s := &searcher{text: text, field: field, brace: -1, bracket: -1}
	for m := range s.machines {
		s.machines[m].field = field
	}
	for i := 0; i < len(text); i++ {
		if i = s.skip(i); i >= len(text) {
			break
		}
		s.step(i)
	}
	if len(s.own) > 0 {
		return s.own[len(s.own)-1], true
	}
	if len(s.nested) > 0 {
		return s.nested[len(s.nested)-1], true
	}
	return span{}, false
}

type searcher struct {
	text, field string
	machines    [2]machine
	// own are the answers so far in the order of the text, nested the maps
	// inside of top-level values that carry the field. Both hold at most one
	// entry for each open container: the last one in it.
	own, nested []span
	// brace and bracket are the last results of find for { and [.
	brace, bracket int
}

// skip goes to the next byte that matters: the next brace or bracket in prose,
// the end of what is plain text in a string.
func (s *searcher) skip(i int) int {
	a, b := &s.machines[0], &s.machines[1]
	if b.state == idle && a.state == idle {
		s.brace, s.bracket = s.find('{', s.brace, i), s.find('[', s.bracket, i)
		return min(s.brace, s.bracket)
	}
	if a.state == quoted && b.state == idle {
		for i < len(s.text) && plain[s.text[i]] {
			i++
		}
	}
	return i
}

// find is the offset of the first c at or after i, or the length of the text;
// known is an earlier result, which is still right unless i has passed it.
func (s *searcher) find(c byte, known, i int) int {
	if known >= i {
		return known
	}
	if next := strings.IndexByte(s.text[i:], c); next >= 0 {
		return i + next
	}
	return len(s.text)
}

// plain are the bytes that do nothing in a string, braces excluded.
var plain = func() (table [256]bool) {
	for c := ' '; c <= 255; c++ {
		table[c] = !strings.ContainsRune(`"\{[`, c)
	}
	return table
}()

func (s *searcher) step(i int) {
	c, taken := s.text[i], false
	for n := range s.machines {
		m := &s.machines[n]
		if m.state == idle {
			continue
		}
		wasKey := m.state == quoted && m.key && c == '"'
		switch m.step(c, i) {
		case opened:
			taken = true
		case closed:
			s.closed(n, i+1)
		case dead:
			m.state = idle
		default:
			if wasKey && m.state == colon && s.field != "" {
				m.named(s.text, i)
			}
		}
	}
	if !taken && (c == '{' || c == '[') {
		s.start(i)
	}
}

// start sets a machine to work at a brace that no other has taken as structure.
func (s *searcher) start(i int) {
	m := &s.machines[0]
	if m.state != idle {
		m = &s.machines[1]
	}
	m.begin()
	m.step(s.text[i], i)
}

// closed takes note of the container that machine n has just closed before end.
func (s *searcher) closed(n, end int) {
	m, other := &s.machines[n], &s.machines[1-n]
	c := m.stack[:len(m.stack)+1][len(m.stack)]
	at := span{c.start, end}
	if len(m.stack) == 0 {
		m.state = idle
	} else {
		parent := &m.stack[len(m.stack)-1]
		switch {
		case c.carries:
			parent.inner, parent.hasInner = at, true
		case c.hasInner:
			parent.inner, parent.hasInner = c.inner, true
		}
	}
	if c.shadowed {
		return
	}
	other.shadow(c.start)
	s.own, s.nested = cut(s.own, c.start), cut(s.nested, c.start)
	if s.answers(c, end) {
		s.own = s.add(s.own, at, c.start)
	}
	if c.hasInner {
		s.nested = s.add(s.nested, c.inner, c.start)
	}
}

// answers tells whether a top-level container is an answer.
func (s *searcher) answers(c container, end int) bool {
	if s.field != "" {
		return c.carries
	}
	return !c.list || s.beginsLine(c.start) && !s.footnote(c.start, end)
}

// beginsLine looks back over white space only, so that a long line of lists
// does not cost more than it is long.
func (s *searcher) beginsLine(start int) bool {
	for start--; start >= 0; start-- {
		switch s.text[start] {
		case '\n':
			return true
		case ' ', '\t', '\r':
		default:
			return false
		}
	}
	return true
}

// footnote recognises the mark of a footnote at the begin of a line: one whole
// number in brackets with text behind it.
func (s *searcher) footnote(start, end int) bool {
	inner := s.text[start+1 : end-1]
	if inner == "" || len(inner) > 4 || strings.Trim(inner, "0123456789") != "" {
		return false
	}
	line, _, _ := strings.Cut(s.text[end:min(len(s.text), end+200)], "\n")
	return strings.TrimSpace(line) != ""
}

// cut drops the spans that lie in a value which begins at start.
func cut(spans []span, start int) []span {
	for len(spans) > 0 && spans[len(spans)-1].start >= start {
		spans = spans[:len(spans)-1]
	}
	return spans
}

// add puts a span at the end. The one before it is of no use any more unless a
// container is open between the two: only then can a value swallow the later
// one and leave the earlier.
func (s *searcher) add(spans []span, at span, start int) []span {
	if n := len(spans); n > 0 {
		last := spans[n-1].start
		if s.machines[0].openedBefore(start) < last && s.machines[1].openedBefore(start) < last {
			spans = spans[:n-1]
		}
	}
	return append(spans, at)
}

// openedBefore is where the innermost open container begins that began before
// start, and -1 if there is none.
func (m *machine) openedBefore(start int) int {
	if m.state == idle {
		return -1
	}
	if n := m.before(start); n >= 0 {
		return m.stack[n].start
	}
	return -1
}

// before is the index of the innermost container that began before start; it
// passes over shadowed ones in runs.
func (m *machine) before(start int) int {
	n := len(m.stack) - 1
	for n >= 0 && m.stack[n].start > start {
		if c := &m.stack[n]; c.shadowed && m.stack[c.run].start > start {
			n = c.run
		}
		n--
	}
	return n
}

// shadow marks the open containers that begin behind start: a complete value
// holds them. When that is all of them, the machine has nothing left to find.
func (m *machine) shadow(start int) {
	if m.state == idle {
		return
	}
	last := m.before(start)
	if last < 0 {
		m.state = idle
		return
	}
	top := len(m.stack) - 1
	for n := top; n > last; n-- {
		c := &m.stack[n]
		if c.shadowed {
			n, c.run = c.run, last+1
			continue
		}
		c.shadowed, c.run = true, last+1
	}
}
