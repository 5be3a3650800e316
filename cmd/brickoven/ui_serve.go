package main

import (
	"bytes"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/brickoven/brickoven/runner/journal"
	"github.com/brickoven/brickoven/runner/report/page"
	"github.com/brickoven/brickoven/runner/report/web"
)

// viewer answers for the pages of runs. It only reads.
type viewer struct {
	app   *app
	runs  string // the folder of the runs
	host  string // 127.0.0.1 and the port, as a request must name it
	token string

	mu   sync.Mutex
	last rendered
}

// rendered is the page that was made last, for those who ask for the same.
type rendered struct {
	stamp string
	text  []byte
}

// refusal answers a request that gets nothing.
type refusal struct {
	status int
	text   string
}

func (r *refusal) Error() string { return r.text }

// serve gives the answer to a request, and the reason where there is none.
func (v *viewer) serve(r *web.Request) *web.Answer {
	answer, err := v.answer(r)
	if err == nil {
		return answer
	}
	status := 500
	var refused *refusal
	switch {
	case errors.As(err, &refused):
		status = refused.status
	case errors.Is(err, fs.ErrNotExist):
		status = 404
	}
	return web.Text(status, err.Error()+"\n")
}

// guardHeaders keep a page to itself: no other site may read, frame or learn of
// it, and nothing of it is stored.
func guardHeaders() map[string]string {
	return map[string]string{
		"Content-Security-Policy":      page.Policy(),
		"X-Content-Type-Options":       "nosniff",
		"X-Frame-Options":              "DENY",
		"Referrer-Policy":              "no-referrer",
		"Cross-Origin-Resource-Policy": "same-origin",
		"Cross-Origin-Opener-Policy":   "same-origin",
		"Cache-Control":                "no-store",
	}
}

func (v *viewer) answer(r *web.Request) (*web.Answer, error) {
	if err := v.admit(r); err != nil {
		return nil, err
	}
	parts, err := segments(r.URL.EscapedPath())
	if err != nil {
		return nil, err
	}
	if len(parts) == 0 || subtle.ConstantTimeCompare([]byte(parts[0]), []byte(v.token)) != 1 {
		return nil, &refusal{403, "the address lacks the token that brickoven ui printed"}
	}
	switch parts = parts[1:]; {
	case len(parts) == 1 && parts[0] == "":
		return v.index(r)
	case len(parts) == 3 && parts[0] == "runs" && parts[2] == "":
		return v.run(r, parts[1])
	case len(parts) == 3 && parts[0] == "runs" && parts[2] == "log":
		return v.log(r, parts[1])
	}
	return nil, &refusal{404, "there is no such page"}
}

// admit refuses what no page of this server asks for: other methods, names of
// the host that a foreign domain may have been pointed to, and requests that a
// page of another site makes.
func (v *viewer) admit(r *web.Request) error {
	switch {
	case r.Method != "GET" && r.Method != "HEAD":
		return &refusal{405, "this server only shows"}
	case r.Host != v.host:
		return &refusal{403, "this server answers to " + v.host + " alone"}
	}
	for _, origin := range r.Header.Values("Origin") {
		if origin != "http://"+v.host {
			return &refusal{403, "this server does not answer to other sites"}
		}
	}
	for _, site := range r.Header.Values("Sec-Fetch-Site") {
		if site != "same-origin" && site != "none" {
			return &refusal{403, "this server does not answer to other sites"}
		}
	}
	return nil
}

// segments takes a path apart before anything interprets it. What might climb or
// hide a separator is refused.
func segments(path string) ([]string, error) {
	bad := &refusal{400, "the path is not one of this server"}
	rest, rooted := strings.CutPrefix(path, "/")
	if !rooted {
		return nil, bad
	}
	parts := strings.Split(rest, "/")
	for i, part := range parts {
		plain, err := url.PathUnescape(part)
		if err != nil || plain == "." || plain == ".." || plain == "" && i < len(parts)-1 ||
			strings.ContainsAny(plain, "/\\\x00") {
			return nil, bad
		}
		parts[i] = plain
	}
	return parts, nil
}

// folder is the folder of a run that exists by exactly this name.
func (v *viewer) folder(id string) (string, error) {
	entries, err := os.ReadDir(v.runs)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	for _, entry := range entries {
		if entry.IsDir() && entry.Name() == id {
			return filepath.Join(v.runs, id), nil
		}
	}
	return "", &refusal{404, "there is no such run"}
}

func (v *viewer) options() page.Options { return page.Options{Zone: time.Local, Live: true} }

func (v *viewer) index(r *web.Request) (*web.Answer, error) {
	list, err := journal.List(v.runs)
	if err != nil {
		return nil, err
	}
	var text bytes.Buffer
	if err := page.Index(&text, list, v.runs, v.options()); err != nil {
		return nil, err
	}
	sum := sha256.Sum256(text.Bytes())
	stamp := hex.EncodeToString(sum[:16])
	if has(r, stamp) {
		return unchanged(stamp), nil
	}
	return whole(stamp, text.Bytes()), nil
}

func (v *viewer) run(r *web.Request, id string) (*web.Answer, error) {
	dir, err := v.folder(id)
	if err != nil {
		return nil, err
	}
	stamp, err := stampOf(dir, time.Now())
	if err != nil {
		return nil, err
	}
	if has(r, stamp) {
		return unchanged(stamp), nil
	}
	text, err := v.page(dir, stamp)
	if err != nil {
		return nil, err
	}
	return whole(stamp, text), nil
}

// page makes the page of a run, or gives the one that was made for the stamp.
func (v *viewer) page(dir, stamp string) ([]byte, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.last.stamp == stamp {
		return v.last.text, nil
	}
	run, err := v.app.readReport(dir, time.Now())
	if err != nil {
		return nil, err
	}
	var text bytes.Buffer
	if err := page.Report(&text, run, v.options()); err != nil {
		return nil, err
	}
	v.last = rendered{stamp, text.Bytes()}
	return v.last.text, nil
}

// pace is how often a page of a running run changes for the sake of its clocks
// alone; one whose record is longer than largeRecord bytes less often.
const (
	pace        = time.Second
	slowPace    = 5 * time.Second
	largeRecord = 1 << 20
)

// stampOf names the state of a run without reading it: the length of its record,
// whether it is held, what its steps have printed, and the time while it runs.
func stampOf(dir string, now time.Time) (string, error) {
	_, held, err := journal.Holder(dir)
	if err != nil {
		return "", err
	}
	sum := sha256.New()
	fmt.Fprintln(sum, dir, held)
	every := pace
	info, err := os.Stat(filepath.Join(dir, journal.File))
	switch {
	case err == nil:
		fmt.Fprintln(sum, info.Size(), info.ModTime().UnixNano())
		if info.Size() > largeRecord {
			every = slowPace
		}
	case !errors.Is(err, fs.ErrNotExist):
		return "", err
	}
	if held {
		fmt.Fprintln(sum, now.Truncate(every).Unix())
	}
	return hex.EncodeToString(sum.Sum(nil)[:16]), nil
}

func quote(stamp string) string { return `"` + stamp + `"` }

// has tells whether the reader has the page of the stamp.
func has(r *web.Request, stamp string) bool { return r.Header.Get("If-None-Match") == quote(stamp) }

func unchanged(stamp string) *web.Answer {
	return &web.Answer{Status: 304, Header: map[string]string{"ETag": quote(stamp)}}
}

func whole(stamp string, text []byte) *web.Answer {
	return &web.Answer{
		Header: map[string]string{"ETag": quote(stamp), "Content-Type": "text/html; charset=utf-8"},
		Body:   io.NopCloser(bytes.NewReader(text)), Size: int64(len(text)),
	}
}
