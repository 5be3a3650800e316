package process

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// CaptureLimit is how many bytes of a step's output its variable keeps.
const CaptureLimit = 10 << 20

// Captured is the part of a stream that a variable gets: all of it, or its head
// and its tail with a marker line between them.
type Captured struct {
	Text      string
	Truncated bool
	Cut       int64 // bytes left out
}

// Capture reads back at most limit bytes of what the stream took; zero is
// [CaptureLimit]. Call it after Close. A short stream costs no reading. The
// error is a [*StorageError].
func (s *Stream) Capture(limit int) (Captured, error) {
	s.mu.Lock()
	place, memory, inMemory := s.place, s.memory, s.file == nil
	s.mu.Unlock()
	if limit == 0 {
		limit = CaptureLimit
	}
	if inMemory && len(memory) <= limit {
		return Captured{Text: string(memory)}, nil
	}
	return s.spool.Capture(place, limit)
}

// Capture reads at most limit bytes of what lies at a place; zero is
// [CaptureLimit]. The text is as long as the limit plus the marker line. The
// error is a [*StorageError].
func (s *Spool) Capture(p Place, limit int) (Captured, error) {
	if limit == 0 {
		limit = CaptureLimit
	}
	if p.Length == 0 {
		return Captured{}, nil
	}
	if p.Length <= int64(limit) {
		var text strings.Builder
		text.Grow(int(p.Length))
		err := s.copy(&text, p, 0, p.Length)
		return Captured{Text: text.String()}, err
	}
	half := int64(limit / 2)
	from, to, err := s.whole(p, half, p.Length-half)
	if err != nil {
		return Captured{}, err
	}
	var text strings.Builder
	text.Grow(int(from+p.Length-to) + 64)
	if err := s.copy(&text, p, 0, from); err != nil {
		return Captured{}, err
	}
	fmt.Fprintf(&text, "\n[... %d bytes left out ...]\n", to-from)
	if err := s.copy(&text, p, to, p.Length); err != nil {
		return Captured{}, err
	}
	return Captured{Text: text.String(), Truncated: true, Cut: to - from}, nil
}

// whole moves two cuts to where no rune goes through them, from backwards and to
// forwards.
func (s *Spool) whole(p Place, from, to int64) (int64, int64, error) {
	head, err := s.piece(p, max(from-utf8.UTFMax, 0), from)
	if err != nil {
		return 0, 0, err
	}
	tail, err := s.piece(p, to, min(to+utf8.UTFMax, p.Length))
	if err != nil {
		return 0, 0, err
	}
	return from - int64(len(head)-len(wholeEnd(head))), to + int64(len(tail)-len(wholeStart(tail))), nil
}

// piece reads the bytes of a place from one offset to another.
func (s *Spool) piece(p Place, from, to int64) ([]byte, error) {
	var piece bytes.Buffer
	piece.Grow(int(to - from))
	err := s.copy(&piece, p, from, to)
	return piece.Bytes(), err
}

func (s *Spool) copy(w io.Writer, p Place, from, to int64) error {
	p.Offset, p.Length = p.Offset+from, to-from
	r, err := s.Open(p)
	if err != nil {
		return err
	}
	defer func() { _ = r.Close() }()
	n, err := io.Copy(w, r)
	if err == nil && n < p.Length {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return &StorageError{"read", p.File, err}
	}
	return nil
}

// wholeEnd drops the beginning of a rune that the cut went through.
func wholeEnd(b []byte) []byte {
	for i := 1; i < utf8.UTFMax && i <= len(b); i++ {
		if last := b[len(b)-i]; utf8.RuneStart(last) {
			if !utf8.FullRune(b[len(b)-i:]) {
				return b[:len(b)-i]
			}
			break
		}
	}
	return b
}

// wholeStart drops the rest of a rune that the cut went through.
func wholeStart(b []byte) []byte {
	for i := range min(len(b), utf8.UTFMax) {
		if utf8.RuneStart(b[i]) {
			return b[i:]
		}
	}
	if len(b) < utf8.UTFMax {
		return nil
	}
	return b // no UTF-8 at all
}
