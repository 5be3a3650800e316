package browser

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// ask sends a request as it is written, with nothing tidied up.
func ask(t *testing.T, method, address, path string, header map[string]string) (status int, body string, h http.Header) {
	t.Helper()
	at, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	conn, err := net.Dial("tcp", at.Host)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	text := method + " " + path + " HTTP/1.1\r\nConnection: close\r\n"
	if header["Host"] == "" {
		text += "Host: " + at.Host + "\r\n"
	}
	for name, value := range header {
		text += name + ": " + value + "\r\n"
	}
	if _, err := io.WriteString(conn, text+"\r\n"); err != nil {
		t.Fatal(err)
	}
	res, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, string(data), res.Header
}

func TestTheDoorIsOpenForThisBrowserAlone(t *testing.T) {
	t.Parallel()
	p := newProject(t, map[string]string{"r.yaml": "name: r\nsteps: [{id: say, command: echo the secret word}]\n"})
	p.run("./r.yaml")
	address, _ := p.serve()
	at, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	token := at.Path
	run := token + "runs/" + p.only() + "/"
	log := run + "log?action=say%23shell.1"
	outside := filepath.Join(p.dir, "outside")
	if err := os.WriteFile(outside, []byte("the secret word"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, method, path string
		header             map[string]string
		status             int
	}{
		{"the list", "GET", token, nil, 200},
		{"a run", "GET", run, nil, 200},
		{"an output", "GET", log, nil, 200},
		{"from this site", "GET", run, map[string]string{"Origin": "http://" + at.Host, "Sec-Fetch-Site": "same-origin"}, 200},
		{"without the token", "GET", "/", nil, 403},
		{"with another token", "GET", "/" + strings.Repeat("A", len(token)-2) + "/", nil, 403},
		{"with a part of the token", "GET", token[:len(token)-3] + "/", nil, 403},
		{"a run without the token", "GET", "/runs/" + p.only() + "/", nil, 403},
		{"another host", "GET", run, map[string]string{"Host": "rebound.example"}, 403},
		{"another port", "GET", run, map[string]string{"Host": "127.0.0.1:1"}, 403},
		{"localhost by name", "GET", run, map[string]string{"Host": "localhost:" + at.Port()}, 403},
		{"another origin", "GET", run, map[string]string{"Origin": "http://rebound.example"}, 403},
		{"no origin", "GET", run, map[string]string{"Origin": "null"}, 403},
		{"from another site", "GET", run, map[string]string{"Sec-Fetch-Site": "cross-site"}, 403},
		{"from another port", "GET", run, map[string]string{"Sec-Fetch-Site": "same-site"}, 403},
		{"to write", "POST", run, nil, 405},
		{"to ask for more", "OPTIONS", run, map[string]string{"Origin": "http://rebound.example", "Access-Control-Request-Method": "GET"}, 405},
		{"upwards", "GET", token + "runs/../../../outside", nil, 400},
		{"upwards in disguise", "GET", token + "runs/%2e%2e/%2e%2e/", nil, 400},
		{"a hidden slash", "GET", token + "runs/..%2f..%2foutside/", nil, 400},
		{"a backslash", "GET", token + "runs/..%5c/", nil, 400},
		{"an empty part", "GET", token + "/etc/passwd", nil, 400},
		{"no such run", "GET", token + "runs/nothing/", nil, 404},
		{"no such page", "GET", run + "journal.jsonl", nil, 404},
		{"no such output", "GET", run + "log?action=..%2f..%2foutside", nil, 404},
	} {
		status, body, header := ask(t, c.method, address, c.path, c.header)
		if status != c.status {
			t.Errorf("%s: %d, want %d", c.name, status, c.status)
		}
		if status != 200 && strings.Contains(body, "secret word") {
			t.Errorf("%s: the answer tells a secret", c.name)
		}
		for name := range header {
			if strings.HasPrefix(name, "Access-Control-") {
				t.Errorf("%s: the answer has %s", c.name, name)
			}
		}
		for _, name := range []string{"Content-Security-Policy", "X-Content-Type-Options", "X-Frame-Options", "Referrer-Policy", "Cache-Control"} {
			if header.Get(name) == "" {
				t.Errorf("%s: the answer has no %s", c.name, name)
			}
		}
	}
}

// What a step puts into the run's folder does not lead out of it.
func TestALinkInARunLeadsNowhere(t *testing.T) {
	t.Parallel()
	p := newProject(t, map[string]string{"r.yaml": "name: r\nsteps: [{id: say, command: \"seq 1 20000\"}]\n"})
	p.run("./r.yaml")
	outside := filepath.Join(p.dir, "outside")
	if err := os.WriteFile(outside, []byte(strings.Repeat("the secret word\n", 10_000)), 0o644); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(filepath.Dir(p.stateRoot()), "*", "runs", "*", "steps", "*.out"))
	if err != nil || len(files) != 1 {
		t.Fatalf("outputs: %v, %v", files, err)
	}
	if err := os.Remove(files[0]); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, files[0]); err != nil {
		t.Fatal(err)
	}
	address, _ := p.serve()
	at, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"log?action=say%23shell.1", ""} {
		if _, body, _ := ask(t, "GET", address, at.Path+"runs/"+p.only()+"/"+path, nil); strings.Contains(body, "secret word") {
			t.Errorf("%q shows a file outside of the run", path)
		}
	}
}
