package agent

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/brickoven/brickoven/recipes/value"
)

// fields reads a map of settings. It keeps the first fault.
type fields struct {
	path   string
	values map[string]any
	outer  *fields
	fault  *SettingError
}

func (f *fields) err() error {
	if f.fault == nil {
		return nil
	}
	return f.fault
}

// fail notes a fault, with the outermost fields, unless there is one.
func (f *fields) fail(key, problem string) {
	at := f
	for at.outer != nil {
		at = at.outer
	}
	if at.fault == nil {
		at.fault = &SettingError{Path: f.path + "." + key, Problem: problem}
	}
}

// known refuses every other key, for a misspelled one would be a setting that is
// silently not there.
func (f *fields) known(keys ...string) {
	for _, key := range slices.Sorted(maps.Keys(f.values)) {
		if !slices.Contains(keys, key) {
			f.fail(key, "is not known here; there are "+strings.Join(keys, ", "))
		}
	}
}

// below gives the map under a key; nil where there is none.
func (f *fields) below(key string) *fields {
	v, has := f.values[key]
	if !has || v == nil {
		return nil
	}
	m, ok := v.(map[string]any)
	if !ok {
		f.fail(key, "is a "+value.Kind(v)+", not a map")
		return nil
	}
	return &fields{path: f.path + "." + key, values: m, outer: f}
}

func (f *fields) text(key string) string {
	switch v := f.values[key].(type) {
	case nil:
		return ""
	case string:
		return v
	case value.Number:
		return v.String()
	default:
		f.fail(key, "is a "+value.Kind(v)+", not a text")
		return ""
	}
}

func (f *fields) choice(key string, all ...string) string {
	v := f.text(key)
	if v != "" && !slices.Contains(all, v) {
		f.fail(key, value.JSON(v)+" is none of "+strings.Join(all, ", "))
	}
	return v
}

func (f *fields) permission(key string) string {
	v := f.text(key)
	if v == "" {
		return ""
	}
	name, ok := Permission(v)
	if !ok {
		f.fail(key, value.JSON(v)+" is none of "+strings.Join(permissions, ", "))
	}
	return name
}

func (f *fields) flag(key string) *bool {
	v, has := f.values[key]
	if !has || v == nil {
		return nil
	}
	b, ok := v.(bool)
	if !ok {
		f.fail(key, "is a "+value.Kind(v)+", not true or false")
	}
	return &b
}

func (f *fields) count(key string) int {
	v, has := f.values[key]
	if !has {
		return 0
	}
	n, isNumber := v.(value.Number)
	i, err := n.Int64()
	if !isNumber || err != nil || i < 1 || i > 1000 {
		f.fail(key, value.JSON(v)+" is no count from 1 to 1000")
		return 0
	}
	return int(i)
}

func (f *fields) duration(key string, into *time.Duration) {
	text := f.text(key)
	if text == "" {
		return
	}
	d, err := seconds(text)
	if err != nil {
		f.fail(key, err.Error())
		return
	}
	*into = d
}

// words reads a list of arguments. A text is cut at its spaces; one that only a
// shell could read is refused.
func (f *fields) words(key string, into *[]string) {
	switch v := f.values[key].(type) {
	case nil:
	case string:
		if strings.ContainsAny(v, "'\"\\$`|&;<>*?") {
			f.fail(key, "needs a shell to be read: write it as a list of arguments")
			return
		}
		*into = strings.Fields(v)
	case []any:
		*into = make([]string, len(v))
		for i, item := range v {
			switch item.(type) {
			case string, value.Number:
				(*into)[i] = value.Text(item)
			default:
				f.fail(fmt.Sprintf("%s[%d]", key, i), "is a "+value.Kind(item)+", not a text")
			}
		}
	default:
		f.fail(key, "is a "+value.Kind(v)+", not a list of arguments")
	}
}

// environment reads a map of variables, sorted by name.
func (f *fields) environment(key string) (env []string) {
	m := f.below(key)
	if m == nil {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(m.values)) {
		if name == "" || strings.ContainsAny(name, "=\x00") {
			m.fail(name, "is no name of a variable")
			continue
		}
		if v := m.values[name]; !value.IsScalar(v) && v != nil {
			m.fail(name, "is a "+value.Kind(v)+", not a text")
			continue
		}
		env = append(env, name+"="+value.Text(m.values[name]))
	}
	return env
}

// route reads a dotted path into a result.
func (f *fields) route(key string, into *string) {
	text := f.text(key)
	if text == "" {
		return
	}
	if _, ok := value.SplitPath(text); !ok {
		f.fail(key, value.JSON(text)+" is no path such as usage.input or choices[0].text")
		return
	}
	*into = text
}
