package mask

import "io"

// Writer masks a stream. A secret is found however it is split over writes; for
// that the writer holds back the end of the stream as long as it may begin one,
// which is at most one byte less than the longest form of a secret, and usually
// nothing. It is not safe for concurrent use.
type Writer struct {
	m   *Masker
	out io.Writer

	state  int32
	pos    int    // bytes taken in so far
	held   []byte // the last of them, not passed on yet
	found  spans  // in positions of the stream, not passed on yet
	masked int    // position up to which a replacement was passed on
	buffer []byte
	err    error
}

// Writer returns a writer that passes on to w what is written to it, masked.
// [Writer.Close] must be called at the end.
func (m *Masker) Writer(w io.Writer) *Writer {
	return &Writer{m: m, out: w}
}

// Write takes in all of p, or returns the error with which the writer behind it
// failed, now or earlier.
func (w *Writer) Write(p []byte) (int, error) {
	if w.err != nil {
		return 0, w.err
	}
	if w.m.empty() {
		return w.out.Write(p)
	}
	start := w.pos
	w.state = scan(w.m.auto, w.state, p, func(end, form int) {
		end += start
		w.found.add(end-len(w.m.forms[form].text), end)
	})
	w.state = w.m.auto.shorten(w.state)
	w.pos += len(p)
	// No secret that is still to be found begins before this position.
	return len(p), w.pass(p, w.pos-int(w.m.auto.nodes[w.state].depth))
}

// pass passes on what lies before the position until; p is the end of what was
// taken in.
func (w *Writer) pass(p []byte, until int) error {
	start := w.pos - len(p) - len(w.held)
	if len(w.held) == 0 && len(w.found) == 0 && w.masked <= start {
		w.send(p[:until-start])
		w.held = append(w.held, p[until-start:]...)
		return w.err
	}
	w.held = append(w.held, p...)
	w.buffer = w.buffer[:0]
	at := start
	plain := func(end int) {
		if at = max(at, w.masked); at < end {
			w.buffer = append(w.buffer, w.held[at-start:end-start]...)
			at = end
		}
	}
	for len(w.found) > 0 && w.found[0].start < until {
		next := w.found[0]
		w.found = w.found[1:]
		if next.start >= w.masked {
			plain(next.start)
			w.buffer = append(w.buffer, Replacement...)
		}
		w.masked = max(w.masked, next.end)
	}
	plain(until)
	w.held = append(w.held[:0], w.held[until-start:]...)
	w.send(w.buffer)
	return w.err
}

func (w *Writer) send(p []byte) {
	if len(p) == 0 {
		return
	}
	n, err := w.out.Write(p)
	if err == nil && n < len(p) {
		err = io.ErrShortWrite
	}
	w.err = err
}

// Flush passes on what is held back. A secret that goes on after it is not
// found, so it belongs to the end of a stream.
func (w *Writer) Flush() error {
	if w.err != nil || w.m.empty() {
		return w.err
	}
	w.state = root
	return w.pass(nil, w.pos)
}

// Close is Flush. It does not close the writer behind.
func (w *Writer) Close() error { return w.Flush() }
