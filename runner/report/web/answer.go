package web

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Answer is what goes back. The zero of Status is 200.
type Answer struct {
	Status int
	Header map[string]string
	// Body is read to its end or to Size bytes, and closed; nil is an empty one.
	// Nothing of it is read for HEAD.
	Body io.ReadCloser
	Size int64
}

// Text is an answer in plain text.
func Text(status int, text string) *Answer {
	return &Answer{
		Status: status, Header: map[string]string{"Content-Type": "text/plain; charset=utf-8"},
		Body: io.NopCloser(strings.NewReader(text)), Size: int64(len(text)),
	}
}

// reason is the phrase of a status that is given here (RFC 9110, section 15).
func reason(status int) string {
	switch status {
	case 200:
		return "OK"
	case 304:
		return "Not Modified"
	case 400:
		return "Bad Request"
	case 403:
		return "Forbidden"
	case 404:
		return "Not Found"
	case 405:
		return "Method Not Allowed"
	case 431:
		return "Request Header Fields Too Large"
	case 505:
		return "HTTP Version Not Supported"
	}
	return "Internal Server Error"
}

// write sends the answer. The connection is closed behind it, so a body that is
// shorter than Size is seen to be cut off.
func (a *Answer) write(to io.Writer, always map[string]string, head bool) (err error) {
	if a.Body != nil {
		defer func() { err = errors.Join(err, a.Body.Close()) }()
	}
	status := a.Status
	if status == 0 {
		status = 200
	}
	out := bufio.NewWriter(to)
	fmt.Fprintf(out, "HTTP/1.1 %d %s\r\nConnection: close\r\nDate: %s\r\n", status, reason(status), time.Now().UTC().Format(dateFormat))
	fields := maps.Clone(always)
	if fields == nil {
		fields = map[string]string{}
	}
	maps.Copy(fields, a.Header)
	if status != 304 {
		fields["Content-Length"] = strconv.FormatInt(a.Size, 10)
	}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		fmt.Fprintf(out, "%s: %s\r\n", name, oneLine(fields[name]))
	}
	if _, err := out.WriteString("\r\n"); err != nil {
		return err
	}
	if a.Body != nil && !head && status != 304 {
		if _, err := io.CopyN(out, a.Body, a.Size); err != nil {
			return errors.Join(err, out.Flush())
		}
	}
	return out.Flush()
}

// dateFormat is the IMF-fixdate of RFC 9110, section 5.6.7.
const dateFormat = "Mon, 02 Jan 2006 15:04:05 GMT"

// oneLine keeps a value from beginning a field of its own.
func oneLine(text string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' {
			return ' '
		}
		return r
	}, text)
}
