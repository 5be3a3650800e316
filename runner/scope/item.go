package scope

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/brickoven/brickoven/recipes/value"
)

const (
	prefix     = "RECIPE_VAR_"
	fileSuffix = "_FILE"

	// Bounds of the flattening of one variable, because nested keys come from
	// data and each level repeats the text of the ones below.
	maxDepth = 32
	maxKeys  = 4096
	// maxFlatRef is the size of a reference up to which it is read to flatten
	// its keys.
	maxFlatRef = 1 << 20
)

// binding is one setting of a variable. Everything that an environment needs of
// it is worked out once.
type binding struct {
	name  string
	value any
	place int // in its layer's order
	gone  bool

	items    []*item // the variable itself, then its nested keys, sorted
	warnings []string
	warned   atomic.Bool
}

// item is one text of an environment under its one or two names.
type item struct {
	owner *binding
	path  string // in the recipe: x or x.key
	main  string // in the environment
	alias string // empty if there is none

	nested, scalar bool
	text           string     // of everything but a reference
	ref            *value.Ref // the text is behind this
	size           int64

	exported atomic.Pointer[entries]
	lost     atomic.Bool // a warning about a lost name was given

	spill atomic.Pointer[spill]
	mu    sync.Mutex // held while the spill is written
}

// entries are the texts that go into the environment as they are.
type entries struct{ main, alias string }

// MainName is the name of a variable, or of a nested key with its path joined
// by dots, in the environment: RECIPE_VAR_, then the name with . as __ and - as
// _. ok is false when no shell could read it.
func MainName(path string) (name string, ok bool) {
	name = prefix + strings.NewReplacer(".", "__", "-", "_").Replace(path)
	return name, len(path) > 0 && isWord(name)
}

// Alias is the plain upper-case name of a scalar variable, empty where that
// would be reserved or no name.
func Alias(variable string) string {
	name := strings.ToUpper(strings.NewReplacer(".", "__", "-", "_").Replace(variable))
	if !isWord(name) || name[0] >= '0' && name[0] <= '9' || Reserved(name) {
		return ""
	}
	return name
}

func isWord(name string) bool {
	for i := range len(name) {
		c := name[i]
		if c != '_' && (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') {
			return false
		}
	}
	return name != ""
}

// prepare works out the items.
func (b *binding) prepare(load func(value.Ref) (string, error)) error {
	main, ok := MainName(b.name)
	if !ok {
		b.warn("variable %q cannot be a name in the environment and was left out", b.name)
		return nil
	}
	it := &item{owner: b, path: b.name, main: main}
	b.items = append(b.items, it)
	v := b.value
	if ref, isRef := v.(value.Ref); isRef {
		it.ref, it.size, it.scalar = &ref, ref.Size, true
		if ref.JSON {
			text, err := loadRef(load, ref)
			if err != nil {
				return err
			}
			v = it.readJSON(text)
		}
	}
	if it.ref == nil {
		it.scalar = value.IsScalar(v)
		it.setText(v)
	}
	if it.scalar {
		it.alias = Alias(b.name)
	}
	b.flatten(it, v, 1)
	return nil
}

// readJSON settles what a reference to a JSON document stands for. It returns
// the value where its keys are wanted.
func (it *item) readJSON(text string) any {
	trimmed := strings.TrimLeft(text, " \t\r\n")
	it.scalar = !strings.HasPrefix(trimmed, "{") && !strings.HasPrefix(trimmed, "[")
	if !it.scalar && it.ref.Size > maxFlatRef {
		return nil
	}
	v, err := value.Parse(text)
	if err != nil {
		return nil
	}
	return v
}

func (it *item) setText(v any) {
	text, changed := value.Clean(value.Text(v))
	if changed {
		it.owner.warn("variable %s: NUL bytes were dropped and bytes that are no UTF-8 replaced", it.path)
	}
	it.text, it.size = text, int64(len(text))
}

func (b *binding) flatten(parent *item, v any, depth int) {
	m, ok := v.(map[string]any)
	if !ok {
		return
	}
	keys := make([]string, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	for _, key := range keys {
		main, ok := MainName(parent.path[len(b.name):] + "." + key)
		main = b.items[0].main + strings.TrimPrefix(main, prefix)
		if !ok || key == "" {
			b.warn("key %q of %s cannot be a name in the environment and was left out", key, parent.path)
			continue
		}
		if depth > maxDepth || len(b.items) > maxKeys {
			b.warn("variable %s has more keys than the environment takes; the rest was left out", b.name)
			return
		}
		it := &item{owner: b, path: parent.path + "." + key, main: main, nested: true, scalar: value.IsScalar(m[key])}
		it.setText(m[key])
		b.items = append(b.items, it)
		b.flatten(it, m[key], depth+1)
	}
}

func (b *binding) warn(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if !slices.Contains(b.warnings, text) {
		b.warnings = append(b.warnings, text)
	}
}

// retire lets the spill files of the binding go.
func (b *binding) retire() {
	for _, it := range b.items {
		if file := it.spill.Load(); file != nil {
			file.retire()
		}
	}
}

// cost is what exporting the item takes: name, '=', text and NUL, twice where
// there is an alias.
func (it *item) cost() int64 {
	cost := int64(len(it.main)) + it.size + 2
	if it.alias != "" {
		cost += int64(len(it.alias)) + it.size + 2
	}
	return cost
}

func (it *item) small() bool { return it.scalar && it.size < SmallScalar }

// export gives the entries, which are built once for all steps.
func (it *item) export(load func(value.Ref) (string, error)) (*entries, error) {
	if e := it.exported.Load(); e != nil {
		return e, nil
	}
	text, err := it.read(load)
	if err != nil {
		return nil, err
	}
	e := &entries{main: it.main + "=" + text}
	if it.alias != "" {
		e.alias = it.alias + "=" + text
	}
	it.exported.Store(e)
	return e, nil
}

// read gives the text; that of a reference is not kept.
func (it *item) read(load func(value.Ref) (string, error)) (string, error) {
	if it.ref == nil {
		return it.text, nil
	}
	text, err := loadRef(load, *it.ref)
	if err != nil {
		return "", err
	}
	if it.ref.JSON && (it.scalar || it.ref.Size <= maxFlatRef) {
		if v, err := value.Parse(text); err == nil {
			text = value.Text(v)
		}
	}
	text, _ = value.Clean(text)
	return text, nil
}

func loadRef(load func(value.Ref) (string, error), ref value.Ref) (string, error) {
	if load == nil {
		return "", fmt.Errorf("the value at %s cannot be read here", ref.Place)
	}
	text, err := load(ref)
	if err != nil {
		return "", fmt.Errorf("reading the value at %s: %w", ref.Place, err)
	}
	return text, nil
}
