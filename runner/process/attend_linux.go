package process

import (
	"context"
	"errors"
	"math"
	"time"

	"golang.org/x/sys/unix"
)

// firstWait is how long the first output of a child lies in its pipe. A child
// that ends before is read in one go, without a goroutine for each pipe.
const firstWait = 2 * time.Millisecond

// attend waits until the child ends by itself, and reports false when it has to
// be stopped instead. As long as there is nothing to copy it waits for all that
// may happen in one system call, and no other thread wakes when the child ends.
// A kernel without descriptors of processes has goroutines wait.
func (c *child) attend(ctx context.Context, e *Exit) (ended bool) {
	w, failed := newWait(ctx, c)
	if failed == nil {
		defer w.waker.close()
		if err := c.proc.WithHandle(func(handle uintptr) { ended, failed = w.run(ctx, handle, e) }); err != nil {
			failed = err
		}
	}
	if failed != nil {
		return c.attendApart(ctx, e)
	}
	if !ended {
		c.flow()
		return false
	}
	state, err := c.proc.Wait()
	c.end = &ending{state, err}
	for _, p := range c.pumps {
		p.conclude()
	}
	return true
}

// wait is one child's wait for its end.
type wait struct {
	child *child
	waker *waker
	fds   []unix.PollFd // the process, the waker, and what each pump reads
	heard []*pump       // have something to read and do not read yet
	since time.Time     // when the first of them was heard
}

func newWait(ctx context.Context, c *child) (*wait, error) {
	waker, err := newWaker(ctx)
	if err != nil {
		return nil, err
	}
	w := &wait{child: c, waker: waker, fds: make([]unix.PollFd, 2, 4)}
	w.fds[1] = unix.PollFd{Fd: int32(waker.fd), Events: unix.POLLIN}
	for _, p := range c.pumps {
		w.fds = append(w.fds, unix.PollFd{Fd: int32(p.pipe.fd), Events: unix.POLLIN})
	}
	return w, nil
}

// run waits for the process behind the handle. The error says that it cannot.
func (w *wait) run(ctx context.Context, handle uintptr, e *Exit) (ended bool, err error) {
	w.fds[0] = unix.PollFd{Fd: int32(handle), Events: unix.POLLIN}
	for {
		left := w.child.spare(e)
		if ctx.Err() != nil {
			e.Cancelled, e.TimedOut, e.Idle = true, false, false
		}
		if e.Cancelled || e.TimedOut || e.Idle {
			return false, nil
		}
		if len(w.heard) > 0 {
			left = min(left, max(firstWait-time.Since(w.since), 0))
		}
		timeout := unix.NsecToTimespec(int64(min(left, reapPause)))
		n, err := unix.Ppoll(w.fds, &timeout, nil)
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case err != nil:
			return false, err
		case w.fds[0].Revents != 0:
			return true, nil
		case n == 0 && left > reapPause:
			w.child.family.reap()
		}
		w.listen()
	}
}

// listen takes note of the outputs that have something to read, and has them
// read after a while.
func (w *wait) listen() {
	for i := range w.fds[2:] {
		fd := &w.fds[2+i]
		if fd.Revents == 0 {
			continue
		}
		if fd.Revents&unix.POLLIN != 0 {
			if len(w.heard) == 0 {
				w.since = time.Now()
			}
			w.heard = append(w.heard, w.child.pumps[i])
		}
		fd.Fd, fd.Revents = -1, 0
	}
	if len(w.heard) > 0 && time.Since(w.since) >= firstWait {
		for _, p := range w.heard {
			p.begin()
		}
		w.heard = w.heard[:0]
	}
}

// spare is how long the child may still take before one of its bounds, of which
// a spent one is noted.
func (c *child) spare(e *Exit) time.Duration {
	left := time.Duration(math.MaxInt64)
	if c.spec.Timeout > 0 {
		left = c.spec.Timeout - time.Since(c.begun)
		e.TimedOut = left <= 0
	}
	if c.spec.IdleTimeout > 0 && !e.TimedOut {
		quiet := c.spec.IdleTimeout - c.pulse.silence()
		e.Idle = quiet <= 0
		left = min(left, quiet)
	}
	return left
}

// conclude has the rest read of a child that has ended: here, where nobody can
// write any more, and else in a goroutine.
func (p *pump) conclude() {
	if p.begun {
		return
	}
	fds := []unix.PollFd{{Fd: int32(p.pipe.fd), Events: unix.POLLIN}}
	if _, err := unix.Poll(fds, 0); err != nil || fds[0].Revents&unix.POLLHUP == 0 {
		p.begin()
		return
	}
	p.begun = true
	if fds[0].Revents&unix.POLLIN == 0 {
		close(p.done)
		return
	}
	p.pipe.direct()
	p.run()
}
