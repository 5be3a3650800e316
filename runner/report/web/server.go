// Package web answers a browser on this machine: GET and HEAD in HTTP/1.1 (RFC
// 9112), one request a connection, no bodies, no encryption. It stands for
// net/http, whose encryption and HTTP/2 every start of a program that holds it
// would pay for.
package web

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"syscall"
	"time"
)

// maxHead is the longest head of a request, in bytes.
const maxHead = 32 << 10

// Times that a client may take, and that a server may wait.
const (
	headTimeout = 5 * time.Second        // for the head of a request
	lingering   = 500 * time.Millisecond // for what it still sends after the answer
	firstPause  = 5 * time.Millisecond   // before another try to accept a connection
	longPause   = time.Second
)

// Server answers requests. It must not be changed once it serves.
type Server struct {
	// Answer gives the answer; it is called by many goroutines at once. Where it
	// panics, the answer is 500.
	Answer func(*Request) *Answer
	// Header is part of every answer, of refusals too.
	Header map[string]string
	// HeadTimeout is how long a client may take to ask; 0 is 5 s.
	HeadTimeout time.Duration

	mu    sync.Mutex
	open  map[net.Conn]bool
	ended bool
}

// Serve answers until the context ends, which ends it well, or the listener
// fails. It closes the listener and all connections, and returns when no answer
// is being made any more.
func (s *Server) Serve(ctx context.Context, listener net.Listener) error {
	var answering sync.WaitGroup
	defer answering.Wait()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	closed := make(chan error, 1)
	context.AfterFunc(ctx, func() { closed <- errors.Join(listener.Close(), s.closeAll()) })
	pause := firstPause
	for {
		conn, err := listener.Accept()
		switch {
		case err == nil:
			pause = firstPause
			answering.Go(func() { s.converse(conn) })
		case ctx.Err() != nil:
			return <-closed
		case !passes(err):
			return err
		default:
			wait(ctx, pause)
			pause = min(2*pause, longPause)
		}
	}
}

// passes tells whether a later try to accept a connection may well succeed.
func passes(err error) bool {
	return errors.Is(err, syscall.ECONNABORTED) || errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE)
}

func wait(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}

// track keeps a connection so that it can be closed from outside; false after
// the end.
func (s *Server) track(conn net.Conn) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open == nil {
		s.open = map[net.Conn]bool{}
	}
	s.open[conn] = true
	return !s.ended
}

// release closes a connection unless that was done from outside. That a client
// went away first is no fault.
func (s *Server) release(conn net.Conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open[conn] {
		delete(s.open, conn)
		_ = conn.Close()
	}
}

func (s *Server) closeAll() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ended = true
	var failed error
	for conn := range s.open {
		failed = errors.Join(failed, conn.Close())
	}
	clear(s.open)
	return failed
}

// converse answers the one request of a connection. What fails here is the
// client's own doing and concerns it alone.
func (s *Server) converse(conn net.Conn) {
	defer s.release(conn)
	if !s.track(conn) {
		return
	}
	timeout := s.HeadTimeout
	if timeout == 0 {
		timeout = headTimeout
	}
	if err := conn.SetReadDeadline(time.Now().Add(timeout)); err != nil {
		return
	}
	request, err := readRequest(conn)
	var refused *refusal
	var answer *Answer
	switch {
	case errors.As(err, &refused):
		answer = Text(refused.status, refused.reason+"\n")
	case err != nil:
		return
	default:
		answer = s.ask(request)
	}
	if err := answer.write(conn, s.Header, request != nil && request.Method == "HEAD"); err != nil {
		return
	}
	linger(conn)
}

// ask gives the answer to a request, whatever happens on the way.
func (s *Server) ask(r *Request) (answer *Answer) {
	defer func() {
		if p := recover(); p != nil {
			answer = Text(500, fmt.Sprintf("panic: %v\n", p))
		}
	}()
	return s.Answer(r)
}

// linger reads what the client has not stopped sending, for a moment: to close a
// connection with unread bytes would throw away the answer at its other end.
func linger(conn net.Conn) {
	half, ok := conn.(interface{ CloseWrite() error })
	if !ok || half.CloseWrite() != nil || conn.SetReadDeadline(time.Now().Add(lingering)) != nil {
		return
	}
	_, _ = io.Copy(io.Discard, io.LimitReader(conn, 256<<10))
}
