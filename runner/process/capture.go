package process

import (
	"fmt"
	"io"
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
		all, err := s.piece(p, 0, p.Length)
		return Captured{Text: string(all)}, err
	}
	half := int64(limit / 2)
	head, err := s.piece(p, 0, half)
	if err != nil {
		return Captured{}, err
	}
	tail, err := s.piece(p, p.Length-half, half)
	if err != nil {
		return Captured{}, err
	}
	head, tail = wholeEnd(head), wholeStart(tail)
	cut := p.Length - int64(len(head)) - int64(len(tail))
	text := fmt.Sprintf("%s\n[... %d bytes left out ...]\n%s", head, cut, tail)
	return Captured{Text: text, Truncated: true, Cut: cut}, nil
}

func (s *Spool) piece(p Place, from, length int64) ([]byte, error) {
	p.Offset, p.Length = p.Offset+from, length
	r, err := s.Open(p)
	if err != nil {
		return nil, err
	}
	defer func() { _ = r.Close() }()
	buf := make([]byte, length)
	if _, err := io.ReadFull(r, buf); err != nil {
		return nil, &StorageError{"read", p.File, err}
	}
	return buf, nil
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
