package mask

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestASecretIsFoundWhereverAStreamIsSplit cuts a text at every two places.
func TestASecretIsFoundWhereverAStreamIsSplit(t *testing.T) {
	t.Parallel()
	m := masker(t, "hunter2", "2much\nsesame", "ter2m")
	s := "x hunter2much\nsesame aHVudGVyMg== hunterhunter2 hunte"
	want := m.Text(s)
	for i := range len(s) + 1 {
		for j := i; j <= len(s); j++ {
			var out bytes.Buffer
			w := m.Writer(&out)
			for _, part := range []string{s[:i], s[i:j], s[j:]} {
				if n, err := io.WriteString(w, part); err != nil || n != len(part) {
					t.Fatal(n, err)
				}
			}
			if err := w.Close(); err != nil || out.String() != want {
				t.Fatalf("split at %d and %d: %q, want %q (%v)", i, j, out.String(), want, err)
			}
		}
	}
}

func TestAStreamIsMaskedLikeItsText(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		m, _ := New(secrets().Draw(t, "secrets"))
		s := text(t, m)
		var out bytes.Buffer
		w := m.Writer(&out)
		for rest := s; rest != ""; {
			n := rapid.IntRange(0, len(rest)).Draw(t, "size")
			if rapid.Bool().Draw(t, "byte") {
				n = 1
			}
			if _, err := io.WriteString(w, rest[:n]); err != nil {
				t.Fatal(err)
			}
			if len(w.held) >= max(1, m.limit) {
				t.Fatalf("%d bytes are held back, and the longest form has %d", len(w.held), m.limit)
			}
			rest = rest[n:]
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if got, want := out.String(), m.Text(s); got != want {
			t.Fatalf("%q became %q, want %q", s, got, want)
		}
	})
}

func TestOnlyWhatMayBeginASecretIsHeldBack(t *testing.T) {
	t.Parallel()
	m := masker(t, "hunter2")
	var out bytes.Buffer
	w := m.Writer(&out)
	for _, step := range [][2]string{
		{"plain text.", "plain text."}, {" h", " "}, {"unt", ""}, {"!", "hunt!"}, {"hunter2", "***"}, {" hun", " "}, {"hunter2", "hun***"},
	} {
		out.Reset()
		if _, err := io.WriteString(w, step[0]); err != nil || out.String() != step[1] {
			t.Errorf("%q passed on %q, want %q (%v)", step[0], out.String(), step[1], err)
		}
	}
	out.Reset()
	if _, err := io.WriteString(w, "hunter"); err != nil || w.Flush() != nil || out.String() != "hunter" {
		t.Errorf("Flush passed on %q", out.String())
	}
	if _, err := io.WriteString(w, "2 hunter2"); err != nil || w.Close() != nil || out.String() != "hunter2 ***" {
		t.Errorf("after Flush: %q", out.String())
	}
}

// narrow takes only so many bytes.
type narrow struct {
	left int
	err  error
}

func (n *narrow) Write(p []byte) (int, error) {
	if len(p) > n.left {
		return n.left, n.err
	}
	n.left -= len(p)
	return len(p), nil
}

func TestAnErrorOfTheWriterBehindStays(t *testing.T) {
	t.Parallel()
	full := errors.New("full")
	for behind, want := range map[*narrow]error{{5, full}: full, {5, nil}: io.ErrShortWrite} {
		w := masker(t, "hunter2").Writer(behind)
		if _, err := io.WriteString(w, "12345"); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if _, err := io.WriteString(w, "678"); !errors.Is(err, want) {
				t.Errorf("error %v, want %v", err, want)
			}
		}
		if err := w.Close(); !errors.Is(err, want) {
			t.Errorf("Close: %v, want %v", err, want)
		}
	}
}

func TestTheWriterDoesNotKeepWhatItWasGiven(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	w := masker(t, "hunter2").Writer(&out)
	buffer := make([]byte, 4)
	for _, part := range []string{"say ", "hunt", "er3 ", "hunt", "er2."} {
		copy(buffer, part)
		if _, err := w.Write(buffer); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil || out.String() != "say hunter3 ***." {
		t.Errorf("%q, %v", out.String(), err)
	}
}

func BenchmarkWriter100MB(b *testing.B) {
	line := "2026-01-02T03:04:05Z INFO build[17]: compiled runner/mask/automaton.go in 0.123s (cached 4711)\n"
	chunk := []byte(strings.Repeat(line, 32<<10/len(line)))
	encoded := bytes.Repeat([]byte("TG9yZW0gaXBzdW0gZG9sb3Igc2l0IGFtZXQgY29uc2VjdGV0dXI"), 600)
	key := "-----BEGIN KEY-----\n" + strings.Repeat("MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj\n", 25) + "-----END KEY-----\n"
	for _, bench := range []struct {
		name    string
		secrets []string
		chunk   []byte
	}{
		{"none", nil, chunk},
		{"one", []string{"ghp_16C7e42F292c6912E7710c838347Ae178B4a"}, chunk},
		{"five and a key", []string{"ghp_16C7e42F292c6912E7710c838347Ae178B4a", "hunter2", "compiler", "correct horse battery", "AKIAIOSFODNN7EXAMPLE", key}, chunk},
		{"one in base64", []string{"ghp_16C7e42F292c6912E7710c838347Ae178B4a"}, encoded},
		{"periodic", []string{strings.Repeat("a", 1000) + "b"}, bytes.Repeat([]byte("a"), 32<<10)},
	} {
		b.Run(bench.name, func(b *testing.B) {
			m := masker(b, bench.secrets...)
			b.SetBytes(100 << 20)
			for b.Loop() {
				w := m.Writer(io.Discard)
				for sent := 0; sent < 100<<20; sent += len(bench.chunk) {
					if _, err := w.Write(bench.chunk); err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
}

func BenchmarkNew(b *testing.B) {
	for _, size := range []int{40, 3000, 100_000} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			secret := strings.Repeat("Zm9vYmFyYmF6 +/=\n", size/17+1)[:size]
			b.ReportAllocs()
			for b.Loop() {
				New(map[string]string{"S": secret})
			}
		})
	}
}
