package diff

import (
	"fmt"
	"strconv"
	"strings"
)

// hunkHeader is the head of a hunk: how many lines it takes from each parent
// and how many the result has.
type hunkHeader struct {
	parents []int
	result  int
}

// parseHunk reads "@@ -1,2 +1,3 @@ …", and "@@@ -1,2 -1,2 +1,3 @@@ …" of a
// merge.
func parseHunk(line string) (h hunkHeader, ok bool) {
	marks := len(line) - len(strings.TrimLeft(line, "@"))
	if marks < 2 || len(line) <= marks || line[marks] != ' ' {
		return h, false
	}
	body, _, closed := strings.Cut(line[marks+1:], " "+strings.Repeat("@", marks))
	if !closed {
		return h, false
	}
	ranges := strings.Split(body, " ")
	if len(ranges) != marks {
		return h, false
	}
	for i, text := range ranges {
		sign := "-"
		if i == len(ranges)-1 {
			sign = "+"
		}
		count, ok := rangeCount(text, sign)
		if !ok {
			return h, false
		}
		if sign == "+" {
			h.result = count
		} else {
			h.parents = append(h.parents, count)
		}
	}
	return h, true
}

func rangeCount(text, sign string) (count int, ok bool) {
	text, signed := strings.CutPrefix(text, sign)
	start, length, has := strings.Cut(text, ",")
	if !signed || !isNumber(start) {
		return 0, false
	}
	if !has {
		return 1, true
	}
	if !isNumber(length) {
		return 0, false
	}
	count, err := strconv.Atoi(length)
	return count, err == nil
}

func isNumber(text string) bool {
	return text != "" && strings.Trim(text, "0123456789") == ""
}

// hunks reads all hunks at the current place and returns how many there were
// and what is wrong with the last one; empty means nothing is.
func (p *parser) hunks() (count int, fault string) {
	for p.more() {
		h, ok := parseHunk(p.line())
		if !ok {
			break
		}
		start := p.at + 1
		p.at++
		count++
		if !p.hunkBody(h) {
			return count, fmt.Sprintf("the hunk on line %d ends early", start)
		}
		for p.more() && strings.HasPrefix(p.lines[p.at], `\`) {
			p.at++
		}
	}
	return count, ""
}

// hunkBody skips the lines of a hunk by its counts. It stops without success at
// the first line that can not belong to the hunk.
func (p *parser) hunkBody(h hunkHeader) bool {
	for !h.spent() {
		if !p.more() {
			return false
		}
		line := p.lines[p.at]
		if strings.HasPrefix(line, `\`) {
			p.at++
			continue
		}
		if !h.take(line) {
			return false
		}
		p.at++
	}
	return true
}

func (h *hunkHeader) spent() bool {
	for _, left := range h.parents {
		if left > 0 {
			return false
		}
	}
	return h.result <= 0
}

// take counts one line. In a merge every parent has a column: a line with a
// minus anywhere is in exactly the parents with a minus and not in the result,
// any other line is in the result and in the parents with a space.
func (h *hunkHeader) take(line string) bool {
	width := len(h.parents)
	line = strings.TrimSuffix(line, "\r")
	if strings.TrimLeft(line, " ") == "" && len(line) < width {
		// Mail and editors strip the space of an empty context line.
		line = strings.Repeat(" ", width)
	}
	if len(line) < width || strings.Trim(line[:width], " +-") != "" {
		return false
	}
	columns := line[:width]
	gone := byte(' ')
	if strings.Contains(columns, "-") {
		gone = '-'
	} else {
		if h.result == 0 {
			return false
		}
		h.result--
	}
	for i := range width {
		if columns[i] == gone {
			if h.parents[i] == 0 {
				return false
			}
			h.parents[i]--
		}
	}
	return true
}
