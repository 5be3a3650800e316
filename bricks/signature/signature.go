// Package signature reduces the text of an error to what identifies the
// failure, so that the same failure of another round, machine or run has the
// same signature, and a different failure has a different one. It is the one
// normaliser of the project: the ledger's error signatures and the brakes'
// message hashes both come from here.
//
// The functions are pure and safe for concurrent use.
package signature

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"github.com/brickoven/brickoven/recipes/value/pattern"
)

// Version names the rules. Signatures of two versions are not comparable, so
// it is part of each of them.
const Version = 1

// prefix begins every signature of this version.
const prefix = "v1:"

// Of is the signature of an error text: the version and 16 hex digits of the
// SHA-256 of the normalised text. A blank text has no signature and gives "".
func Of(text string) string {
	normal := Normalise(text)
	if normal == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(normal))
	return prefix + hex.EncodeToString(sum[:8])
}

// rule replaces what a pattern matches; the order of rules matters, because a
// time stamp would otherwise be taken apart as numbers and a path as words.
type rule struct {
	pattern *pattern.Pattern
	with    string
	// only, where given, says which matches are replaced; with is literal then.
	only func(match string) bool
}

const unit = `(?:ns|us|µs|ms|seconds|secs?|minutes|min|hours|[smh])`

// The rules keep short numbers and quoted names: assert 3 == 4 is not
// assert 3 == 5, and KeyError 'a' is not KeyError 'b'.
var rules = []rule{
	{&pattern.Pattern{Source: "\x1b(?:\\[[0-9;?]*[ -/]*[@-~]|\\][^\x07\x1b]*(?:\x07|\x1b\\\\)?)"}, "", nil},
	{&pattern.Pattern{Source: `\b\d{4}-\d{2}-\d{2}(?:[tT ]\d{2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?(?:[zZ]|[+-]\d{2}:?\d{2})?)?\b`}, "<time>", nil},
	{&pattern.Pattern{Source: `\b\d{1,2}:\d{2}:\d{2}(?:[.,]\d+)?\b`}, "<time>", nil},
	{&pattern.Pattern{Source: `(?i)\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b`}, "<uuid>", nil},
	{&pattern.Pattern{Source: `(?i)\b[0-9a-f]{7,64}\b`}, "<hash>", isDigest},
	{&pattern.Pattern{Source: `(?i)(?:/private)?/(?:tmp|var/tmp|var/folders)/[^\s'"` + "`" + `:,;)\]}]+`}, "<tmp>", nil},
	{&pattern.Pattern{Source: `(?i)\b[a-z]:\\(?:[^\s'"\\:]+\\)*(?:temp|tmp)\\[^\s'":,;)\]}]+`}, "<tmp>", nil},
	{&pattern.Pattern{Source: `(?i)\b[a-z]:\\(?:[^\s'"\\:]+\\)+`}, "<path>/", nil},
	{&pattern.Pattern{Source: `(^|[\s'"` + "`" + `(=\[{:])/(?:[^\s'"/:]+/)+`}, "${1}<path>/", nil},
	{&pattern.Pattern{Source: `(\.[A-Za-z][A-Za-z0-9]{0,4}):\d+(?::\d+)?\b`}, "${1}:<line>", nil},
	{&pattern.Pattern{Source: `(?i)\b0x[0-9a-f]+\b`}, "<hex>", nil},
	{&pattern.Pattern{Source: `\b\d+(?:\.\d+)?\s?` + unit + `(?:\s?\d+(?:\.\d+)?` + unit + `)*\b`}, "<duration>", nil},
	{&pattern.Pattern{Source: `(?i)\b(pid|tid|port|line|thread|goroutine|process|worker|job|run|request|req|attempt|round)([ =:#-]+)\d+\b`}, "${1}${2}<n>", nil},
	{&pattern.Pattern{Source: `\b\d{5,}\b`}, "<n>", nil},
}

// isDigest tells git ids and other digests from words and plain numbers: they
// mix digits and letters.
func isDigest(match string) bool {
	return strings.ContainsAny(match, "0123456789") && strings.ContainsAny(match, "abcdefABCDEF")
}

// Normalise applies the rules: escape sequences go; times, UUIDs, temporary
// paths, the folders of absolute paths, line numbers of files, addresses,
// digests, durations and numbered ids become placeholders; letters are
// lower-cased and white space is folded. A text too long to be one message
// counts with its first 64 KiB.
func Normalise(text string) string {
	const longest = 64 << 10
	if len(text) > longest {
		text = text[:longest]
	}
	for _, r := range rules {
		if r.only == nil {
			text = r.pattern.Get().ReplaceAllString(text, r.with)
			continue
		}
		text = r.pattern.Get().ReplaceAllStringFunc(text, func(match string) string {
			if r.only(match) {
				return r.with
			}
			return match
		})
	}
	return strings.Join(strings.Fields(strings.ToLower(text)), " ")
}
