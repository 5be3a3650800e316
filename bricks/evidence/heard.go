package evidence

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// terminalCode is the exit code of a structural guard (seed 000, "Exit code 79
// is terminal").
const terminalCode = 79

// heard is what the texts of the loop say, found in one pass over them.
type heard struct {
	blockedTerminal bool
	exit79          bool
	waiting         bool
	durations       durations
}

func listen(texts ...string) *heard {
	h := &heard{durations: durations{}}
	for _, text := range texts {
		for line := range foreignLines(text) {
			h.line(line)
		}
	}
	return h
}

// terminalReason lists the reasons for which no further round may start;
// empty means there is none.
func (h *heard) terminalReason(childExitCode string) string {
	var reasons []string
	if code, err := strconv.Atoi(strings.TrimSpace(childExitCode)); err == nil && code == terminalCode {
		reasons = append(reasons, "child process exited 79")
	}
	if h.blockedTerminal {
		reasons = append(reasons, "BLOCKED_TERMINAL reported by a child")
	}
	if h.exit79 {
		reasons = append(reasons, "exit code 79 present in round output")
	}
	return strings.Join(reasons, "; ")
}

// line looks at each word and number of a line once.
func (h *heard) line(line string) {
	for i := 0; i < len(line); {
		switch classOf[line[i]] {
		case letter:
			end := wordEnd(line, i)
			h.word(line, i, end)
			i = end
		case digit:
			if n := h.durations.at(line, i); n > 0 {
				i += n
			} else {
				i = wordEnd(line, i)
			}
		default:
			i++
		}
	}
}

func (h *heard) word(line string, start, end int) {
	word := line[start:end]
	switch len(word) {
	case 2:
		h.waiting = h.waiting || isWord(word, "no") && follows(line[end:], "output", "yet")
	case 3:
		h.waiting = h.waiting || isWord(word, "has") && notYet(line[end:])
	case 4:
		h.exit79 = h.exit79 || isWord(word, "exit") && codeFollows(line[end:])
	case 5:
		h.waiting = h.waiting || isWord(word, "still") && follows(line[end:], "running")
	case 6:
		h.exit79 = h.exit79 || isWord(word, "exited") && codeFollows(line[end:])
	case 7:
		if isWord(word, "blocked") {
			h.blockedTerminal = h.blockedTerminal || terminalFollows(line, start, end)
		} else if isWord(word, "waiting") {
			h.waiting = h.waiting || follows(line[end:], "for") || follows(line[end:], "on")
		}
	}
}

func notYet(after string) bool {
	return follows(after, "not", "returned") || follows(after, "not", "completed") ||
		follows(after, "not", "yet", "returned") || follows(after, "not", "yet", "completed")
}

// follows reports whether after goes on with the given words, separated by
// blanks only.
func follows(after string, words ...string) bool {
	for _, want := range words {
		trimmed := strings.TrimLeft(after, " \t")
		if len(trimmed) == len(after) {
			return false
		}
		end := wordEnd(trimmed, 0)
		if !isWord(trimmed[:end], want) {
			return false
		}
		after = trimmed[end:]
	}
	return true
}

// terminalFollows completes the word BLOCKED_TERMINAL, which the word scan has
// cut at its underscore.
func terminalFollows(line string, start, end int) bool {
	const tail = "_terminal"
	if start > 0 && line[start-1] == '_' || len(line)-end < len(tail) || !isWord(line[end:end+len(tail)], tail) {
		return false
	}
	after := line[end+len(tail):]
	return after == "" || classOf[after[0]] == other && after[0] != '_'
}

// codeFollows looks for the 79 of "exit 79", "exit code: 79" and "exited with
// code 79" after the word exit or exited.
func codeFollows(after string) bool {
	if near79(after) {
		return true
	}
	rest := strings.TrimLeft(after, " \t_-")
	end := wordEnd(rest, 0)
	if isWord(rest[:end], "with") {
		rest = strings.TrimLeft(rest[end:], " \t")
		end = wordEnd(rest, 0)
	}
	return (isWord(rest[:end], "code") || isWord(rest[:end], "status")) && near79(rest[end:])
}

// near79 finds 79 after at most eight characters that are not digits. A longer
// number, a percentage, a decimal and a quantity such as 79s are no exit code.
func near79(s string) bool {
	const farthest = 8
	for chars := 0; s != "" && classOf[s[0]] != digit; chars++ {
		if chars == farthest {
			return false
		}
		_, size := utf8.DecodeRuneInString(s)
		s = s[size:]
	}
	after, found := strings.CutPrefix(s, "79")
	if !found {
		return false
	}
	if after == "" {
		return true
	}
	decimal := after[0] == '.' && len(after) > 1 && classOf[after[1]] == digit
	return classOf[after[0]] == other && after[0] != '%' && !decimal
}
