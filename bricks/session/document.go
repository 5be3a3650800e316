package session

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/brickoven/brickoven/recipes/value"
)

// SchemaVersion is the version of every document of a session.
const SchemaVersion = 1

// Invalid is the error of a document that is not what its schema says. It holds
// everything that is wrong, not only the first.
type Invalid struct {
	// Document is the name of the file, such as control.json.
	Document string
	Findings []Finding
}

// Finding is one fault of a document.
type Finding struct {
	// Path leads to the fault, such as history[2].success; empty means the
	// document as a whole.
	Path   string `json:"path"`
	Reason string `json:"reason"`
}

// String prints path and reason.
func (f Finding) String() string {
	if f.Path == "" {
		return f.Reason
	}
	return f.Path + ": " + f.Reason
}

// Error prints the document and all findings on one line.
func (e *Invalid) Error() string {
	texts := make([]string, len(e.Findings))
	for i, f := range e.Findings {
		texts[i] = f.String()
	}
	return e.Document + ": " + strings.Join(texts, "; ")
}

func (e *Invalid) add(path, format string, args ...any) {
	e.Findings = append(e.Findings, Finding{Path: path, Reason: fmt.Sprintf(format, args...)})
}

// err is nil when nothing was found.
func (e *Invalid) err() error {
	if len(e.Findings) == 0 {
		return nil
	}
	slices.SortStableFunc(e.Findings, func(a, b Finding) int { return strings.Compare(a.Path, b.Path) })
	return e
}

// openDocument reads data as one JSON object without repeated keys, and checks
// its schema_version. When it can not be read as one, the findings say so and
// the object is empty.
func openDocument(name string, data []byte) *object {
	o := &object{invalid: &Invalid{Document: name}, fields: map[string]any{}}
	v, err := strictJSON(data)
	fields, isObject := v.(map[string]any)
	switch {
	case err != nil:
		o.invalid.add("", "%s", err)
	case !isObject:
		o.invalid.add("", "is a %s, not an object", value.Kind(v))
	default:
		o.fields = fields
		return o
	}
	o.broken = true
	return o
}

var (
	errEmpty = errors.New("is empty")
	errText  = errors.New("is not UTF-8")
)

func strictJSON(data []byte) (any, error) {
	if len(bytes.TrimSpace(data)) == 0 {
		return nil, errEmpty
	}
	if !utf8.Valid(data) {
		return nil, errText
	}
	v, err := value.Parse(string(data))
	if err != nil {
		return nil, fmt.Errorf("is not one JSON document: %w", err)
	}
	if err := uniqueKeys(data); err != nil {
		return nil, err
	}
	return v, nil
}

// uniqueKeys refuses an object that has a key twice: two readers of such a text
// may see two different documents. The text is known to be valid JSON.
func uniqueKeys(data []byte) error {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	type level struct {
		keys  map[string]bool
		isKey bool
	}
	var open []level
	for {
		token, err := dec.Token()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		top := len(open) - 1
		if key, isText := token.(string); isText && top >= 0 && open[top].keys != nil && open[top].isKey {
			if open[top].keys[key] {
				return fmt.Errorf("has the key %q twice", key)
			}
			open[top].keys[key] = true
			open[top].isKey = false
			continue
		}
		switch token {
		case json.Delim('{'):
			open = append(open, level{keys: map[string]bool{}, isKey: true})
			continue
		case json.Delim('['):
			open = append(open, level{})
			continue
		case json.Delim('}'), json.Delim(']'):
			open = open[:top]
		}
		if top = len(open) - 1; top >= 0 {
			open[top].isKey = open[top].keys != nil
		}
	}
}

// encode prints a document as JSON with an indent of two and a line break, so
// that people can read it.
func encode(name string, v any) ([]byte, error) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		return nil, fmt.Errorf("printing %s: %w", name, err)
	}
	return out.Bytes(), nil
}
