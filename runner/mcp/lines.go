package mcp

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"sync"

	"github.com/sourcegraph/jsonrpc2"
)

// lines is a stream of messages, one a line. A line that is no message is
// answered here, so that it does not end the connection.
type lines struct {
	in    *bufio.Reader
	atEnd func() // is called when in has ended, while answers are still written

	mu     sync.Mutex
	out    io.Writer
	closed bool
	first  error
}

func newLines(in io.Reader, out io.Writer, atEnd func()) *lines {
	return &lines{in: bufio.NewReader(in), out: out, atEnd: atEnd}
}

// ReadObject reads the next message into v.
func (l *lines) ReadObject(v any) error {
	for {
		line, err := l.in.ReadBytes('\n')
		if line = bytes.TrimSpace(line); len(line) > 0 {
			refused := readMessage(line, v)
			if refused == nil {
				return nil // an error of the reader comes again
			}
			// Who stopped within a line does not wait for an answer.
			if err == nil {
				err = l.WriteObject(refused)
			}
		}
		if err != nil {
			l.atEnd()
			return l.note(err)
		}
	}
}

// WriteObject writes a message as one line.
func (l *lines) WriteObject(v any) error {
	line, err := json.Marshal(v)
	if err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return jsonrpc2.ErrClosed
	}
	if _, err := l.out.Write(append(line, '\n')); err != nil {
		if l.first == nil {
			l.first = err
		}
		return err
	}
	return nil
}

// Close lets nothing more be written. The streams belong to the caller of Serve.
func (l *lines) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	return nil
}

func (l *lines) note(err error) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.first == nil {
		l.first = err
	}
	return err
}

// fault is what first went wrong with reading or writing; io.EOF where in ended.
func (l *lines) fault() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.first
}
