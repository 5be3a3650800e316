package web_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/brickoven/brickoven/runner/report/web"
)

// start serves until the test ends, or stop is called, which gives what Serve
// returned.
func start(t *testing.T, s *web.Server) (address string, stop func() error) {
	t.Helper()
	listener, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() { served <- s.Serve(ctx, listener) }()
	stop = sync.OnceValue(func() error { cancel(); return <-served })
	t.Cleanup(func() {
		if err := stop(); err != nil {
			t.Errorf("serving ended with %v", err)
		}
	})
	return listener.Addr().String(), stop
}

// say sends a text and gives all that comes back until the connection ends.
func say(t *testing.T, address, text string) string {
	t.Helper()
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := io.WriteString(conn, text); err != nil {
		t.Fatal(err)
	}
	answer, err := io.ReadAll(conn)
	if err != nil {
		t.Fatalf("after %d bytes of the answer: %v", len(answer), err)
	}
	return string(answer)
}

func echo(r *web.Request) *web.Answer {
	return web.Text(200, fmt.Sprintf("%s %s %s %s", r.Method, r.Host, r.URL.RequestURI(), r.Header.Get("X-Word")))
}

func TestAClientOfTheStandardLibraryIsAnswered(t *testing.T) {
	t.Parallel()
	big := bytes.Repeat([]byte("0123456789abcdef"), 1<<18) // 4 MiB
	address, _ := start(t, &web.Server{
		Header: map[string]string{"X-Always": "yes"},
		Answer: func(r *web.Request) *web.Answer {
			switch r.URL.Path {
			case "/big":
				return &web.Answer{Body: io.NopCloser(bytes.NewReader(big)), Size: int64(len(big))}
			case "/same":
				return &web.Answer{Status: 304, Header: map[string]string{"ETag": `"x"`}}
			case "/none":
				return web.Text(404, "no such page\n")
			}
			return echo(r)
		},
	})
	for _, c := range []struct {
		method, path, body string
		status             int
	}{
		{"GET", "/a%2fb/c?x=1&y=%26", "GET " + address + " /a%2fb/c?x=1&y=%26 w", 200},
		{"HEAD", "/a", "", 200},
		{"GET", "/big", string(big), 200},
		{"HEAD", "/big", "", 200},
		{"GET", "/same", "", 304},
		{"GET", "/none", "no such page\n", 404},
	} {
		request, err := http.NewRequestWithContext(t.Context(), c.method, "http://"+address+c.path, nil)
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("X-Word", "w")
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatalf("%s %s: %v", c.method, c.path, err)
		}
		body, err := io.ReadAll(response.Body)
		if err != nil || string(body) != c.body || response.StatusCode != c.status {
			t.Errorf("%s %s: %d and %d bytes (%v), want %d and %d", c.method, c.path, response.StatusCode, len(body), err, c.status, len(c.body))
		}
		response.Body.Close()
		if response.Header.Get("X-Always") != "yes" {
			t.Errorf("%s %s: the field of every answer is missing", c.method, c.path)
		}
		if _, err := http.ParseTime(response.Header.Get("Date")); err != nil {
			t.Errorf("%s %s: %v", c.method, c.path, err)
		}
		if c.method == "HEAD" && c.path == "/big" && response.ContentLength != int64(len(big)) {
			t.Errorf("HEAD tells a length of %d", response.ContentLength)
		}
	}
}

func TestWhatIsNoRequestIsRefused(t *testing.T) {
	t.Parallel()
	address, _ := start(t, &web.Server{Answer: echo, Header: map[string]string{"X-Always": "yes"}})
	for _, c := range []struct {
		name, text string
		status     int // 0 for no answer
	}{
		{"a request", "GET /x HTTP/1.1\r\nHost: h\r\n\r\n", 200},
		{"line feeds alone", "GET /x HTTP/1.1\nHost: h\n\n", 200},
		{"HTTP/1.0 without a host", "GET /x HTTP/1.0\r\n\r\n", 200},
		{"any method", "BREW /x HTTP/1.1\r\nHost: h\r\n\r\n", 200},
		{"no host", "GET /x HTTP/1.1\r\n\r\n", 400},
		{"two hosts", "GET /x HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 400},
		{"a target for a proxy", "GET http://h/x HTTP/1.1\r\nHost: h\r\n\r\n", 400},
		{"no path", "OPTIONS * HTTP/1.1\r\nHost: h\r\n\r\n", 400},
		{"a broken escape", "GET /%zz HTTP/1.1\r\nHost: h\r\n\r\n", 400},
		{"two words", "GET /x\r\nHost: h\r\n\r\n", 400},
		{"four words", "GET /x y HTTP/1.1\r\nHost: h\r\n\r\n", 400},
		{"an empty line", "\r\n\r\n", 400},
		{"a field without a colon", "GET /x HTTP/1.1\r\nHost: h\r\nnonsense\r\n\r\n", 400},
		{"a field with a space in its name", "GET /x HTTP/1.1\r\nHost: h\r\nX y: z\r\n\r\n", 400},
		{"encryption", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", 400},
		{"HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505},
		{"a later version", "GET /x HTTP/1.9\r\nHost: h\r\n\r\n", 505},
		{"a long line", "GET /" + strings.Repeat("x", 40_000) + " HTTP/1.1\r\nHost: h\r\n\r\n", 431},
		{"a long header", "GET /x HTTP/1.1\r\nHost: h\r\nX: " + strings.Repeat("y", 40_000) + "\r\n\r\n", 431},
		{"many fields", "GET /x HTTP/1.1\r\nHost: h\r\n" + strings.Repeat("X: y\r\n", 10_000) + "\r\n", 431},
	} {
		answer := say(t, address, c.text)
		response, err := http.ReadResponse(bufio.NewReader(strings.NewReader(answer)), nil)
		if err != nil {
			t.Errorf("%s: %v: %q", c.name, err, answer)
			continue
		}
		if _, err := io.ReadAll(response.Body); err != nil || response.StatusCode != c.status || response.Header.Get("X-Always") != "yes" {
			t.Errorf("%s: %d, want %d (%v): %q", c.name, response.StatusCode, c.status, err, answer)
		}
		response.Body.Close()
	}
}

// A body that nobody reads must not take the answer away from its sender.
func TestTheAnswerToARequestWithABodyArrives(t *testing.T) {
	t.Parallel()
	address, _ := start(t, &web.Server{Answer: func(*web.Request) *web.Answer { return web.Text(405, "only shows") }})
	for range 50 {
		answer := say(t, address, "POST /x HTTP/1.1\r\nHost: h\r\nContent-Length: 100000\r\n\r\n"+strings.Repeat("b", 100_000))
		if !strings.HasSuffix(answer, "only shows") {
			t.Fatalf("got %q", answer)
		}
	}
}

func TestAClientThatDoesNotAskIsLetGo(t *testing.T) {
	t.Parallel()
	address, _ := start(t, &web.Server{Answer: echo, HeadTimeout: 20 * time.Millisecond})
	for _, text := range []string{"", "GET /x HTTP/1.1\r\n", "GET /x HTTP/1.1\r\nHost: h\r\n"} {
		if answer := say(t, address, text); answer != "" {
			t.Errorf("%q is answered with %q", text, answer)
		}
	}
}

func TestAFieldStaysWithinItsLine(t *testing.T) {
	t.Parallel()
	address, _ := start(t, &web.Server{Answer: func(*web.Request) *web.Answer {
		answer := web.Text(200, "")
		answer.Header["X-Word"] = "a\r\nX-Forged: yes\n\r\n<body>"
		return answer
	}})
	answer := say(t, address, "GET / HTTP/1.1\r\nHost: h\r\n\r\n")
	response, err := http.ReadResponse(bufio.NewReader(strings.NewReader(answer)), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if response.Header.Get("X-Forged") != "" || !strings.HasSuffix(answer, "\r\n\r\n") || strings.Count(answer, "\r\n\r\n") != 1 {
		t.Errorf("got %q", answer)
	}
}

type body struct {
	io.Reader
	closed chan struct{}
}

func (b body) Close() error { close(b.closed); return nil }

func TestABodyThatEndsTooEarlyIsSeenToBeCutOff(t *testing.T) {
	t.Parallel()
	closed := make(chan struct{})
	address, _ := start(t, &web.Server{Answer: func(*web.Request) *web.Answer {
		return &web.Answer{Body: body{strings.NewReader("half"), closed}, Size: 8}
	}})
	response, err := http.Get("http://" + address + "/")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if text, err := io.ReadAll(response.Body); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("got %q, %v", text, err)
	}
	<-closed
}

func TestAPanicIsAnsweredAndTheServerGoesOn(t *testing.T) {
	t.Parallel()
	address, _ := start(t, &web.Server{Answer: func(r *web.Request) *web.Answer {
		if r.URL.Path == "/bad" {
			panic("no such thing")
		}
		return echo(r)
	}})
	if answer := say(t, address, "GET /bad HTTP/1.1\r\nHost: h\r\n\r\n"); !strings.HasPrefix(answer, "HTTP/1.1 500 ") || !strings.Contains(answer, "no such thing") {
		t.Errorf("got %q", answer)
	}
	if answer := say(t, address, "GET /x HTTP/1.1\r\nHost: h\r\n\r\n"); !strings.HasPrefix(answer, "HTTP/1.1 200 ") {
		t.Errorf("got %q", answer)
	}
}

// The end closes what is open: connections that ask for nothing, and answers
// that their readers do not take.
func TestTheEndWaitsForNoClient(t *testing.T) {
	t.Parallel()
	answering := make(chan struct{}, 1)
	address, stop := start(t, &web.Server{Answer: func(*web.Request) *web.Answer {
		answering <- struct{}{}
		return &web.Answer{Body: io.NopCloser(zeros{}), Size: 1 << 40}
	}})
	silent, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	stuck, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer stuck.Close()
	if _, err := io.WriteString(stuck, "GET / HTTP/1.1\r\nHost: h\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	<-answering
	if err := stop(); err != nil {
		t.Errorf("serving ended with %v", err)
	}
	if _, err := net.Dial("tcp", address); err == nil {
		t.Error("the address still answers")
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

// faulty is a listener whose first calls fail.
type faulty struct {
	net.Listener
	mu     sync.Mutex
	faults []error
}

func (l *faulty) Accept() (net.Conn, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.faults) > 0 {
		err := l.faults[0]
		l.faults = l.faults[1:]
		return nil, &net.OpError{Op: "accept", Net: "tcp", Err: os.NewSyscallError("accept4", err)}
	}
	return l.Listener.Accept()
}

func TestTooManyOpenFilesIsNoReasonToEnd(t *testing.T) {
	t.Parallel()
	for _, fault := range []error{syscall.EMFILE, syscall.ECONNABORTED, syscall.EINVAL} {
		listener, err := net.Listen("tcp4", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		served := make(chan error, 1)
		server := &web.Server{Answer: echo}
		go func() { served <- server.Serve(ctx, &faulty{Listener: listener, faults: []error{fault, fault}}) }()
		if fault == syscall.EINVAL {
			if err := <-served; !errors.Is(err, fault) {
				t.Errorf("%v ends serving with %v", fault, err)
			}
			cancel()
			continue
		}
		if answer := say(t, listener.Addr().String(), "GET /x HTTP/1.1\r\nHost: h\r\n\r\n"); !strings.HasPrefix(answer, "HTTP/1.1 200 ") {
			t.Errorf("after %v: %q", fault, answer)
		}
		cancel()
		if err := <-served; err != nil {
			t.Errorf("serving ended with %v", err)
		}
	}
}

// Whatever is sent is answered as HTTP, or not at all, and asked only what is a
// path of this server.
func FuzzRequests(f *testing.F) {
	for _, text := range []string{
		"GET / HTTP/1.1\r\nHost: h\r\n\r\n", "HEAD /a?b HTTP/1.0\r\n\r\n", "GET  / HTTP/1.1\r\n", "\x00", "GET /%00 HTTP/1.1\r\nHost: \r\n\r\n",
		"GET /x HTTP/1.1\r\n Host: h\r\n\r\n", "GET /x HTTP/1.1\r\nHost: h\r\n folded\r\n\r\n",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		server := &web.Server{HeadTimeout: time.Second, Answer: func(r *web.Request) *web.Answer {
			if !strings.HasPrefix(r.URL.RequestURI(), "/") || r.Method == "" {
				t.Errorf("%q asks for %q", text, r.URL)
			}
			return echo(r)
		}}
		address, stop := start(t, server)
		conn, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		if _, err := io.WriteString(conn, text); err == nil {
			_ = conn.(*net.TCPConn).CloseWrite()
		}
		answer, _ := io.ReadAll(conn)
		if len(answer) > 0 {
			response, err := http.ReadResponse(bufio.NewReader(bytes.NewReader(answer)), nil)
			if err != nil {
				t.Fatalf("%q: %v: %q", text, err, answer)
			}
			response.Body.Close()
		}
		if err := stop(); err != nil {
			t.Fatal(err)
		}
	})
}
