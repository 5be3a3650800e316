package report

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestCleanTextIsWhatPeopleMaySee(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"plain\n\ttext":                      "plain\n\ttext",
		"\x1b[1;31mred\x1b[0m":               "red",
		"\x1b]0;title\x07after":              "after",
		"a\x00b\x7f":                         "a\u2400b\u2421",
		"a\r\nb\rc":                          "a\nb\u240dc",
		"\xff\xfe":                           "\uFFFD",
		"\u0085\ufeff\ufffe":                 "\uFFFD\uFFFD\uFFFD",
		"\u202e right to left \u05e9\u05dc":  "\u202e right to left \u05e9\u05dc",
		"</script><img src=x onerror=alert>": "</script><img src=x onerror=alert>",
	} {
		if got := clean(in); got != want {
			t.Errorf("%q becomes %q, want %q", in, got, want)
		}
	}
}

func TestCleanTextIsValidAndStaysAsItIs(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := clean(string(rapid.SliceOf(rapid.Byte()).Draw(t, "text")))
		if !utf8.ValidString(text) {
			t.Fatalf("%q is no UTF-8", text)
		}
		if i := strings.IndexFunc(text, func(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' }); i >= 0 {
			t.Fatalf("%q has a control character at %d", text, i)
		}
		if again := clean(text); again != text {
			t.Fatalf("%q becomes %q", text, again)
		}
	})
}

func TestAFairShareFitsTheBudget(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		sizes := rapid.SliceOf(rapid.Int64Range(0, maxOutput)).Draw(t, "sizes")
		budget := rapid.Int64Range(0, 1<<20).Draw(t, "budget")
		limit := fairShare(sizes, budget)
		sum, cut := int64(0), false
		for _, size := range sizes {
			sum += min(size, limit)
			cut = cut || size > limit
		}
		if sum > budget {
			t.Fatalf("%d bytes are more than %d", sum, budget)
		}
		if cut && budget-sum > int64(len(sizes)) {
			t.Fatalf("texts are cut to %d although %d bytes are free", limit, budget-sum)
		}
	})
}

func TestKeysAreIdsAndDifferByPath(t *testing.T) {
	t.Parallel()
	seen := map[string]string{}
	rapid.Check(t, func(t *rapid.T) {
		path := rapid.String().Draw(t, "path")
		k := key(path)
		if strings.Trim(k, "s0123456789abcdef") != "" {
			t.Fatalf("%q is no id", k)
		}
		if other, has := seen[k]; has && other != path {
			t.Fatalf("%q and %q share a key", other, path)
		}
		seen[k] = path
	})
}
