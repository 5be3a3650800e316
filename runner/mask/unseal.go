package mask

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/brickoven/brickoven/recipes/value"
)

// MissingError tells that a sealed value needs a secret that is not there.
type MissingError struct{ Name string }

func (e *MissingError) Error() string {
	return fmt.Sprintf("a recorded value holds the secret %s, which is not set", e.Name)
}

// MarkerError tells that a text is not what [Masker.Seal] wrote, or that the
// secret changed so much that its form is no longer there.
type MarkerError struct {
	Marker string // without a secret in it
}

func (e *MarkerError) Error() string {
	return fmt.Sprintf("a recorded value has the reference %q, which leads to no secret", e.Marker)
}

// Unseal puts the secrets back into a sealed value; lookup gives the value of a
// secret by its name. The error is a [*MissingError] for a name that lookup
// does not have, and a [*MarkerError] for a reference that leads nowhere.
func Unseal(v any, lookup func(name string) (secret string, ok bool)) (any, error) {
	u := &unsealer{lookup: lookup}
	return (&restorer{open: u.open, numbers: true}).value(v)
}

// Show gives a sealed value for people: every reference to a secret becomes
// [Replacement], and what was only escaped is itself again. It needs no
// secrets. A value that was never sealed stays as it is.
func Show(v any) any {
	hide := func(string) (string, error) { return Replacement, nil }
	shown, err := (&restorer{open: hide}).value(v)
	if err != nil {
		return v
	}
	return shown
}

// restorer replaces the references in a value.
type restorer struct {
	// open gives the text for a reference.
	open func(marker string) (string, error)
	// numbers tells that sealed numbers become numbers again.
	numbers bool
}

func (r *restorer) value(v any) (any, error) {
	switch v := v.(type) {
	case string:
		text, isNumber := strings.CutPrefix(v, number)
		text, err := r.text(text)
		if isNumber && r.numbers && err == nil {
			return value.Number(text), nil
		}
		return text, err
	case []any:
		list := make([]any, len(v))
		for i, item := range v {
			var err error
			if list[i], err = r.value(item); err != nil {
				return nil, err
			}
		}
		return list, nil
	case map[string]any:
		members := make(map[string]any, len(v))
		for _, key := range slices.Sorted(maps.Keys(v)) {
			name, err := r.text(key)
			if err != nil {
				return nil, err
			}
			if members[name], err = r.value(v[key]); err != nil {
				return nil, err
			}
		}
		return members, nil
	}
	return v, nil
}

func (r *restorer) text(s string) (string, error) {
	before, rest, found := strings.Cut(s, opening)
	if !found {
		return s, nil
	}
	var out strings.Builder
	for found {
		out.WriteString(before)
		marker, after, closed := strings.Cut(rest, closing)
		if !closed {
			return "", &MarkerError{opening + marker}
		}
		text := opening
		if marker != "" {
			var err error
			if text, err = r.open(marker); err != nil {
				return "", err
			}
		}
		out.WriteString(text)
		before, rest, found = strings.Cut(after, opening)
	}
	out.WriteString(before)
	return out.String(), nil
}

// unsealer keeps the forms of the secret that it needed last.
type unsealer struct {
	lookup func(string) (string, bool)
	name   string
	forms  map[string]string
}

// open gives the text of a reference: NAME/form or NAME/form+offset.
func (u *unsealer) open(marker string) (string, error) {
	wrong := &MarkerError{opening + marker + closing}
	escaped, kind, ok := strings.Cut(marker, "/")
	name, err := url.QueryUnescape(escaped)
	if !ok || err != nil {
		return "", wrong
	}
	if err := u.secret(name); err != nil {
		return "", err
	}
	kind, cut, _ := strings.Cut(kind, "+")
	offset := 0
	if cut != "" {
		if offset, err = strconv.Atoi(cut); err != nil {
			return "", wrong
		}
	}
	text, ok := u.forms[kind]
	if !ok || offset < 0 || offset > len(text) {
		return "", wrong
	}
	return text[offset:], nil
}

func (u *unsealer) secret(name string) error {
	if u.forms != nil && u.name == name {
		return nil
	}
	secret, ok := u.lookup(name)
	if !ok {
		return &MissingError{name}
	}
	u.name, u.forms = name, map[string]string{}
	for _, f := range formsOf(secret) {
		u.forms[f.kind] = f.text
	}
	return nil
}
