package process

import (
	"bytes"
	"strings"
	"sync"
)

// Default bounds of a [Tail].
const (
	TailBytes = 4 << 10
	TailLines = 20
)

// Tail is a writer that remembers the end of what was written, for the text of
// an error. It never fails. It is safe for concurrent use.
type Tail struct {
	mu   sync.Mutex
	ring []byte // the newest bytes; the oldest one is at next once it is full
	next int
	full bool
}

// NewTail returns a Tail of [TailBytes].
func NewTail() *Tail { return &Tail{} }

// Write remembers the end of piece.
func (t *Tail) Write(piece []byte) (int, error) {
	n := len(piece)
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(piece) >= TailBytes {
		t.ring = append(t.ring[:0], piece[len(piece)-TailBytes:]...)
		t.next, t.full = 0, true
		return n, nil
	}
	if room := TailBytes - len(t.ring); room > 0 {
		first := min(room, len(piece))
		t.ring = append(t.ring, piece[:first]...)
		piece = piece[first:]
		t.full = len(t.ring) == TailBytes
	}
	for len(piece) > 0 {
		copied := copy(t.ring[t.next:], piece)
		piece = piece[copied:]
		t.next = (t.next + copied) % TailBytes
	}
	return n, nil
}

// String gives the last [TailLines] lines of the last [TailBytes] bytes as
// valid UTF-8, without white space at the end.
func (t *Tail) String() string {
	t.mu.Lock()
	text := append(bytes.Clone(t.ring[t.next:]), t.ring[:t.next]...)
	t.mu.Unlock()
	if t.full {
		text = wholeStart(text)
	}
	lines := bytes.Split(bytes.TrimRight(text, " \t\r\n"), []byte("\n"))
	lines = lines[max(0, len(lines)-TailLines):]
	return strings.ToValidUTF8(string(bytes.Join(lines, []byte("\n"))), "\uFFFD")
}
