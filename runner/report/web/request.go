package web

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net/textproto"
	"net/url"
	"strings"
)

// Request is what a browser asks for, without a body.
type Request struct {
	// Method is as the client wrote it, GET and HEAD among others.
	Method string
	// URL is the path and the query that were asked for, without the host.
	URL *url.URL
	// Host is the host that the client believes to talk to, with the port; empty
	// only in HTTP/1.0.
	Host string
	// Header holds the fields under their canonical names.
	Header textproto.MIMEHeader

	version string
}

// refusal is a request that no handler gets to see.
type refusal struct {
	status int
	reason string
}

func (r *refusal) Error() string { return r.reason }

// errSilent ends a connection on which nothing was asked, or no more is read.
var errSilent = errors.New("no request came")

// readRequest reads the head of a request, which has at most maxHead bytes. The
// error is a [*refusal], or errSilent.
func readRequest(from io.Reader) (*Request, error) {
	limited := &io.LimitedReader{R: from, N: maxHead + 1}
	text := textproto.NewReader(bufio.NewReader(limited))
	line, err := text.ReadLine()
	if err == nil {
		var r *Request
		if r, err = parseLine(line); err == nil {
			r.Header, err = text.ReadMIMEHeader()
		}
		if err == nil {
			return r, r.takeHost()
		}
	}
	var refused *refusal
	var malformed textproto.ProtocolError
	switch {
	case limited.N <= 0:
		return nil, &refusal{431, fmt.Sprintf("the head of the request is longer than %d bytes", maxHead)}
	case errors.As(err, &refused):
		return nil, err
	case errors.As(err, &malformed):
		return nil, &refusal{400, "the request has a malformed header"}
	}
	return nil, errSilent
}

// parseLine reads METHOD TARGET HTTP/1.x. A target with a host is for a proxy,
// which this is not.
func parseLine(line string) (*Request, error) {
	parts := strings.Split(line, " ")
	if len(parts) != 3 || parts[0] == "" || !strings.HasPrefix(parts[2], "HTTP/") {
		return nil, &refusal{400, "the request line is malformed"}
	}
	if parts[2] != "HTTP/1.1" && parts[2] != "HTTP/1.0" {
		return nil, &refusal{505, "only HTTP/1.1 is spoken here"}
	}
	target, err := url.ParseRequestURI(parts[1])
	if err != nil || !strings.HasPrefix(parts[1], "/") {
		return nil, &refusal{400, "the target of the request is not a path"}
	}
	return &Request{Method: parts[0], URL: target, version: parts[2]}, nil
}

// takeHost takes the one Host field that HTTP/1.1 asks for (RFC 9112, section
// 3.2), which no field of a name that only looks like it may stand beside.
func (r *Request) takeHost() error {
	for name := range r.Header {
		if strings.ContainsFunc(name, func(c rune) bool { return !isToken(c) }) {
			return &refusal{400, "the request has a malformed header"}
		}
	}
	hosts := r.Header.Values("Host")
	if len(hosts) > 1 || len(hosts) == 0 && r.version == "HTTP/1.1" {
		return &refusal{400, "the request must have one Host field"}
	}
	r.Host = r.Header.Get("Host")
	return nil
}

// isToken tells whether a character may stand in a name (RFC 9110, section 5.6.2).
func isToken(c rune) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || strings.ContainsRune("!#$%&'*+-.^_`|~", c)
}
