package evidence

import (
	"bytes"
	"hash/maphash"
	"math"
	"strings"
	"unicode"
	"unicode/utf8"
)

// minRepeat is how many letters an output needs before its being found again
// means anything; "ok" is found everywhere.
const minRepeat = 24

// chunkSize bounds how much folded history is held at a time.
const chunkSize = 1 << 20

// repeats compares the last output with the history. repeated means that the
// whole output, folded to lower-case letters, stands in the folded history.
// similarity, from 0 to 1 in hundredths, is the share of its neighbouring word
// pairs that one stretch of the history of about the same length has too.
func repeats(history, output string) (repeated bool, similarity float64) {
	needle := foldText(output)
	if utf8.RuneCount(needle) < minRepeat {
		return false, 0
	}
	if containsFolded(history, needle) {
		return true, 1
	}
	return false, similar(history, output)
}

func foldText(text string) []byte {
	var folded []byte
	for line := range foreignLines(text) {
		folded = appendFolded(folded, line)
	}
	return folded
}

func containsFolded(history string, needle []byte) bool {
	size := max(chunkSize, 2*len(needle))
	var window []byte
	for line := range foreignLines(history) {
		for line != "" {
			part := line[:foldablePrefix(line, chunkSize)]
			line = line[len(part):]
			window = appendFolded(window, part)
			if len(window) < size {
				continue
			}
			if bytes.Contains(window, needle) {
				return true
			}
			overlap := len(needle) - 1
			window = append(window[:0], window[len(window)-overlap:]...)
		}
	}
	return bytes.Contains(window, needle)
}

// foldablePrefix is a length of at most n bytes that neither cuts a character
// nor an escape.
func foldablePrefix(s string, n int) int {
	if len(s) <= n {
		return len(s)
	}
	cut := n
	for cut > 1 && (!utf8.RuneStart(s[cut]) || s[cut-1] == '\\') {
		cut--
	}
	return cut
}

// appendFolded appends the letters of s in lower case. Digits, punctuation and
// white space fold away, and so do escapes such as \n, because a history is
// often the same text inside JSON.
func appendFolded(dst []byte, s string) []byte {
	for i := 0; i < len(s); {
		c := s[i]
		switch {
		case c == '\\' && i+1 < len(s) && strings.IndexByte(`nrt"\/bf`, s[i+1]) >= 0:
			i += 2
		case c >= utf8.RuneSelf:
			r, size := utf8.DecodeRuneInString(s[i:])
			if unicode.IsLetter(r) {
				dst = utf8.AppendRune(dst, unicode.ToLower(r))
			}
			i += size
		case classOf[c] == letter:
			dst = append(dst, lower(c))
			i++
		default:
			i++
		}
	}
	return dst
}

// maxPairs bounds the word pairs of an output that are compared; of a longer
// output the last ones count.
const maxPairs = 4096

// similar slides over the word pairs of the history with a window a quarter
// longer than the output, and returns the best share found.
func similar(history, output string) float64 {
	wanted, ids := wantedPairs(output)
	total := 0
	for _, n := range wanted {
		total += n
	}
	if total == 0 {
		return 0
	}
	const none = -1
	recent := make([]int, total+total/4+1) // a ring of pair numbers
	for i := range recent {
		recent[i] = none
	}
	held := make([]int, len(wanted))
	matched, best, at := 0, 0, 0
	eachPair(history, func(pair uint64) {
		if old := recent[at]; old != none {
			held[old]--
			if held[old] < wanted[old] {
				matched--
			}
		}
		id, known := ids[pair]
		if !known {
			id = none
		} else {
			if held[id] < wanted[id] {
				matched++
			}
			held[id]++
			best = max(best, matched)
		}
		recent[at] = id
		at = (at + 1) % len(recent)
	})
	return math.Floor(100*float64(best)/float64(total)) / 100
}

// wantedPairs numbers the pairs of the output and counts each.
func wantedPairs(output string) (wanted []int, ids map[uint64]int) {
	var pairs []uint64
	eachPair(output, func(pair uint64) { pairs = append(pairs, pair) })
	if len(pairs) > maxPairs {
		pairs = pairs[len(pairs)-maxPairs:]
	}
	ids = map[uint64]int{}
	for _, pair := range pairs {
		id, known := ids[pair]
		if !known {
			id = len(wanted)
			ids[pair] = id
			wanted = append(wanted, 0)
		}
		wanted[id]++
	}
	return wanted, ids
}

var pairSeed = maphash.MakeSeed()

// eachPair calls visit with a hash of each two neighbouring words of text.
func eachPair(text string, visit func(pair uint64)) {
	var previous uint64
	var word []byte
	started := false
	for line := range foreignLines(text) {
		for i := 0; i < len(line); {
			if classOf[line[i]] != letter {
				if line[i] == '\\' {
					i++ // the letter after a backslash belongs to an escape
				}
				i++
				continue
			}
			word = word[:0]
			for ; i < len(line) && classOf[line[i]] == letter; i++ {
				word = append(word, lower(line[i]))
			}
			hash := maphash.Bytes(pairSeed, word)
			if started {
				visit(previous*31 + hash)
			}
			previous, started = hash, true
		}
	}
}
