package process

import (
	"context"
	"sync"

	"golang.org/x/sys/unix"
)

// waker is a descriptor that can be read once a context is done; -1 where that
// never happens.
type waker struct {
	fd   int
	stop func() bool

	mu     sync.Mutex
	closed bool
}

func newWaker(ctx context.Context) (*waker, error) {
	w := &waker{fd: -1}
	if ctx.Done() == nil {
		return w, nil
	}
	var err error
	if w.fd, err = unix.Eventfd(0, unix.EFD_CLOEXEC|unix.EFD_NONBLOCK); err != nil {
		return nil, err
	}
	w.stop = context.AfterFunc(ctx, w.wake)
	return w, nil
}

func (w *waker) wake() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.closed {
		// The counter of an event descriptor takes a first write always.
		_, _ = unix.Write(w.fd, []byte{1, 0, 0, 0, 0, 0, 0, 0})
	}
}

func (w *waker) close() {
	if w.fd < 0 {
		return
	}
	w.stop()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.closed = true
	_ = unix.Close(w.fd)
}
