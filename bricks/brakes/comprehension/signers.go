package comprehension

import (
	"bytes"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"golang.org/x/crypto/ssh"
)

// Signers are the keys of an allowed-signers file (ssh-keygen(1), ALLOWED
// SIGNERS). Certificates are not supported; a line with cert-authority allows
// nothing.
type Signers struct{ lines []signer }

type signer struct {
	principals    []string
	key           ssh.PublicKey
	namespaces    []string // nil allows all
	after, before time.Time
	authority     bool
}

// SignersError is a line of an allowed-signers file that cannot be read. The
// whole file is refused then, because a line that is passed over could be the
// one that restricts.
type SignersError struct {
	Line int
	Err  error
}

func (e *SignersError) Error() string {
	return fmt.Sprintf("allowed signers, line %d: %v", e.Line, e.Err)
}

func (e *SignersError) Unwrap() error { return e.Err }

// ParseSigners reads an allowed-signers file. Dates without Z are in local
// time; nil is UTC.
func ParseSigners(data []byte, local *time.Location) (Signers, error) {
	if local == nil {
		local = time.UTC
	}
	var s Signers
	number := 0
	for line := range bytes.Lines(data) {
		number++
		line = bytes.TrimSpace(line)
		if len(line) == 0 || line[0] == '#' {
			continue
		}
		one, err := parseSigner(string(line), local)
		if err != nil {
			return Signers{}, &SignersError{number, err}
		}
		s.lines = append(s.lines, one)
	}
	return s, nil
}

func parseSigner(line string, local *time.Location) (signer, error) {
	principals, rest, err := cutPrincipals(line)
	if err != nil {
		return signer{}, err
	}
	key, _, options, trailing, err := ssh.ParseAuthorizedKey([]byte(rest))
	if err != nil {
		return signer{}, err
	}
	if len(bytes.TrimSpace(trailing)) > 0 {
		return signer{}, errors.New("more than one key")
	}
	s := signer{principals: strings.Split(principals, ","), key: key}
	for _, option := range options {
		if err := s.option(option, local); err != nil {
			return signer{}, err
		}
	}
	return s, nil
}

// cutPrincipals splits off the first field, which may be quoted.
func cutPrincipals(line string) (principals, rest string, err error) {
	if quoted, ok := strings.CutPrefix(line, `"`); ok {
		principals, rest, ok = strings.Cut(quoted, `"`)
		if !ok {
			return "", "", errors.New("a quote is not closed")
		}
	} else if i := strings.IndexAny(line, " \t"); i >= 0 {
		principals, rest = line[:i], line[i:]
	}
	rest = strings.TrimLeft(rest, " \t")
	if principals == "" || rest == "" {
		return "", "", errors.New("must be principals and a key")
	}
	return principals, rest, nil
}

func (s *signer) option(option string, local *time.Location) error {
	name, text, _ := strings.Cut(option, "=")
	text = strings.Trim(text, `"`)
	var err error
	switch strings.ToLower(name) {
	case "cert-authority":
		s.authority = true
	case "namespaces":
		s.namespaces = strings.Split(text, ",")
	case "valid-after":
		s.after, err = parseTime(text, local)
	case "valid-before":
		s.before, err = parseTime(text, local)
	default:
		return fmt.Errorf("unknown option %q", name)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// parseTime reads YYYYMMDD or YYYYMMDDHHMM[SS], with Z for UTC.
func parseTime(text string, local *time.Location) (time.Time, error) {
	if utc, ok := strings.CutSuffix(text, "Z"); ok {
		text, local = utc, time.UTC
	}
	for _, layout := range []string{"20060102", "200601021504", "20060102150405"} {
		if len(layout) == len(text) {
			return time.ParseInLocation(layout, text, local)
		}
	}
	return time.Time{}, fmt.Errorf("%q is not YYYYMMDD or YYYYMMDDHHMM[SS], with or without Z", text)
}

// Allows tells whether a key may sign for a reviewer in our namespace at a
// moment; otherwise it says why not.
func (s Signers) Allows(key ssh.PublicKey, reviewer string, at time.Time) error {
	reason := UnknownKey
	for _, line := range s.lines {
		if line.authority || !bytes.Equal(line.key.Marshal(), key.Marshal()) || !matchPrincipals(line.principals, reviewer) {
			continue
		}
		if line.namespaces != nil && !slices.ContainsFunc(line.namespaces, func(p string) bool { return matchPattern(p, Namespace) }) {
			continue
		}
		if !line.after.IsZero() && at.Before(line.after) || !line.before.IsZero() && !at.Before(line.before) {
			reason = ExpiredKey
			continue
		}
		return nil
	}
	return &RefusedError{Reason: reason, Detail: fmt.Sprintf("%s is no valid key of %s", ssh.FingerprintSHA256(key), reviewer)}
}

// matchPrincipals matches a pattern list: one that begins with ! excludes.
func matchPrincipals(patterns []string, reviewer string) bool {
	matched := false
	for _, pattern := range patterns {
		if excluded, ok := strings.CutPrefix(pattern, "!"); ok {
			if matchPattern(excluded, reviewer) {
				return false
			}
			continue
		}
		matched = matched || matchPattern(pattern, reviewer)
	}
	return matched
}

// matchPattern knows * and ? as ssh does. Other signs of path.Match stand for
// themselves, and a slash is like any other character.
func matchPattern(pattern, text string) bool {
	const slash = "\x01"
	literal := strings.NewReplacer(`\`, `\\`, "[", `\[`, "/", slash).Replace(pattern)
	ok, err := path.Match(literal, strings.ReplaceAll(text, "/", slash))
	return err == nil && ok
}
