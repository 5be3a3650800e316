package signature_test

import (
	"regexp"
	"testing"

	"pgregory.net/rapid"

	"github.com/brickoven/brickoven/bricks/signature"
)

func TestTheSameFailureHasTheSameSignature(t *testing.T) {
	t.Parallel()
	for name, texts := range map[string][]string{
		"ANSI colours":      {"\x1b[31;1mFAIL\x1b[0m parser", "FAIL parser"},
		"terminal titles":   {"\x1b]0;title\x07FAIL", "FAIL"},
		"time stamps":       {"2026-01-02T03:04:05.678Z boom", "2025-11-12 13:14:15 boom", "2026-01-02T03:04:05+01:00 boom"},
		"clock times":       {"at 03:04:05 boom", "at 13:14:15.678 boom"},
		"UUIDs":             {"job 123e4567-e89b-12d3-a456-426614174000 died", "job 00000000-0000-4000-8000-00000000000a died"},
		"git ids":           {"at 9b1c0f6f2a7e4d10 boom", "at 8aa0440 boom"},
		"addresses":         {"nil pointer at 0x7f3a", "nil pointer at 0xDEADBEEF"},
		"temporary paths":   {"open /tmp/x123/a.txt: denied", "open /var/folders/zz/b.txt: denied", `open C:\Users\me\AppData\Local\Temp\x\a.txt: denied`},
		"checkouts":         {"/home/a/src/parser.go: boom", "/builds/17/parser.go: boom"},
		"Windows checkouts": {`C:\src\one\parser.go: boom`, `D:\two\parser.go: boom`},
		"line numbers":      {"parser.go:12:5: boom", "parser.go:99: boom"},
		"durations":         {"timed out after 10m0s", "timed out after 1m 30s", "timed out after 600.0s", "timed out after 250ms"},
		"numbered ids":      {"goroutine 17 panicked", "goroutine 18 panicked"},
		"large ids":         {"order 1234567 refused", "order 7654321 refused"},
		"case and blanks":   {"Boom   here\n", "boom here"},
	} {
		for _, text := range texts[1:] {
			if signature.Of(text) != signature.Of(texts[0]) {
				t.Errorf("%s: %q and %q differ: %q, %q", name, texts[0], text, signature.Normalise(texts[0]), signature.Normalise(text))
			}
		}
	}
}

func TestDifferentFailuresHaveDifferentSignatures(t *testing.T) {
	t.Parallel()
	for name, texts := range map[string][2]string{
		"compared numbers":    {"assert 3 == 4", "assert 3 == 5"},
		"quoted names":        {"KeyError 'a'", "KeyError 'b'"},
		"quoted words":        {`undefined: "fooBar"`, `undefined: "fooBaz"`},
		"text in apostrophes": {"can't open it's lock", "can't read it's lock"},
		"files":               {"/src/a/parser.go: boom", "/src/a/lexer.go: boom"},
		"words like digests":  {"the facade is gone", "the decade is gone"},
		"exit codes":          {"exit status 1", "exit status 2"},
	} {
		if signature.Of(texts[0]) == signature.Of(texts[1]) {
			t.Errorf("%s: %q and %q are both %q", name, texts[0], texts[1], signature.Normalise(texts[0]))
		}
	}
}

func TestASignatureNamesItsVersion(t *testing.T) {
	t.Parallel()
	if got := signature.Of("boom"); !regexp.MustCompile(`^v1:[0-9a-f]{16}$`).MatchString(got) || signature.Version != 1 {
		t.Errorf("got %q in version %d", got, signature.Version)
	}
	if got := signature.Of(" \n\x1b[0m"); got != "" {
		t.Errorf("a blank text has the signature %q, want none", got)
	}
}

func TestNormalisingTwiceChangesNothing(t *testing.T) {
	t.Parallel()
	part := rapid.SampledFrom([]string{
		"2026-01-02T03:04:05Z", "03:04:05", "123e4567-e89b-12d3-a456-426614174000", "8aa0440", "0x1f", "/tmp/a/b", "/home/x/y.go", "y.go:3:4", "10m 0s",
		"pid 12", "123456", "'a'", "assert 3 == 4", "\x1b[31m", "É", ":", "/", "-", "<n>",
	})
	rapid.Check(t, func(t *rapid.T) {
		text := ""
		for _, p := range rapid.SliceOfN(part, 0, 6).Draw(t, "parts") {
			text += p + " "
		}
		once := signature.Normalise(text)
		if twice := signature.Normalise(once); twice != once {
			t.Fatalf("%q becomes %q and then %q", text, once, twice)
		}
	})
}

func FuzzOf(f *testing.F) {
	f.Add("assert 3 == 4 at /tmp/x/y.go:12 after 10m0s")
	f.Fuzz(func(t *testing.T, text string) {
		if first, second := signature.Of(text), signature.Of(text); first != second {
			t.Error("not deterministic")
		}
	})
}
