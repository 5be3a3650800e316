package process

import (
	"errors"
	"io"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

const (
	firstRead  = 4 << 10
	secondRead = 64 << 10
	fullRead   = 256 << 10
)

// pump copies one output pipe into a writer until the pipe is closed by
// everyone who holds it, or until [pump.halt]. Whoever ends it closes the pipe.
type pump struct {
	name  string
	pipe  *outlet
	pulse *pulse
	begun bool // known to the goroutine that supervises the child
	done  chan struct{}
	total atomic.Int64 // bytes read

	mu     sync.Mutex // held during a write, so that close waits for it
	out    io.Writer
	err    error
	closed bool
}

func newPump(name string, pipe *outlet, out io.Writer, beat *pulse) *pump {
	return &pump{name: name, pipe: pipe, out: out, pulse: beat, done: make(chan struct{})}
}

// begin copies in a goroutine of its own, if nobody copies yet.
func (p *pump) begin() {
	if p.begun {
		return
	}
	p.begun = true
	if err := p.pipe.open(); err != nil {
		p.fail(err)
		close(p.done)
		return
	}
	go p.run()
}

// run reads into a small buffer first: most children print little, and a large
// one would be the dearest part of a short step.
func (p *pump) run() {
	defer close(p.done)
	buf := make([]byte, firstRead)
	for {
		n, err := p.pipe.file.Read(buf)
		if n > 0 {
			p.total.Add(int64(n))
			p.pulse.beat()
			p.write(buf[:n])
		}
		if err != nil {
			p.fail(err)
			return
		}
		switch {
		case n < len(buf):
		case n == firstRead:
			p.pipe.grow()
			buf = make([]byte, secondRead)
		case n == secondRead:
			buf = make([]byte, fullRead)
		}
	}
}

func (p *pump) write(piece []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.out == nil {
		return
	}
	n, err := p.out.Write(piece)
	if err == nil && n < len(piece) {
		err = io.ErrShortWrite
	}
	if err != nil {
		p.err, p.out = err, nil
	}
}

// fail records a read error; the end of the pipe and our own close are none.
func (p *pump) fail(err error) {
	if errors.Is(err, io.EOF) || errors.Is(err, os.ErrClosed) || errors.Is(err, os.ErrDeadlineExceeded) {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.err == nil {
		p.err = err
	}
}

// mute passes on what lies in the pipe and throws away what still comes, so
// that a process that may live on does not die of a broken pipe. The writer is
// not used any more once mute has returned.
func (p *pump) mute() {
	if p.ended() {
		p.close()
		return
	}
	halted := p.halt()
	p.mu.Lock()
	p.out = nil
	p.mu.Unlock()
	go func() {
		if halted && p.pipe.file.SetReadDeadline(time.Time{}) == nil {
			_, _ = io.Copy(io.Discard, p.pipe.file)
		}
		<-p.done
		p.close()
	}()
}

// halt passes on what lies in the pipe and ends the copying, where the system
// can end a read.
func (p *pump) halt() bool {
	if p.ended() {
		return true
	}
	p.settle()
	// The deadline ends the next read, after the piece at hand was written.
	if p.pipe.file.SetReadDeadline(time.Unix(1, 0)) != nil {
		return false
	}
	<-p.done
	return true
}

func (p *pump) ended() bool {
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}

// settle waits until what lies in the pipe now was read. A writer that goes on
// forever does not hold it: one read may be uncounted when it begins, so that
// much is read on top.
func (p *pump) settle() {
	goal := p.total.Load() + p.pipe.waiting() + fullRead
	for p.pipe.waiting() > 0 && p.total.Load() < goal {
		select {
		case <-p.done:
			return
		case <-time.After(time.Millisecond):
		}
	}
}

// finish passes on what lies in the pipe and ends the pump.
func (p *pump) finish() {
	p.halt()
	p.close()
}

// close ends the pump. The writer is not used any more once close has returned.
func (p *pump) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.out = nil
	if p.closed {
		return
	}
	p.closed = true
	if err := p.pipe.Close(); err != nil && p.err == nil {
		p.err = err
	}
}

func (p *pump) failure() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.err
}

func outputErrors(pumps []*pump) error {
	var all []error
	for _, p := range pumps {
		if err := p.failure(); err != nil {
			all = append(all, &OutputError{Stream: p.name, Err: err})
		}
	}
	return errors.Join(all...)
}

// joinWait adds a failed wait, which only happens when something else in this
// program waited for our child.
func joinWait(outputs, wait error) error {
	return errors.Join(outputs, &OutputError{Stream: "exit status", Err: wait})
}
