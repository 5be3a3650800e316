package scope

import (
	"errors"
	"strings"
)

// block is a [Block] in the making.
type block struct {
	plan   *plan
	env    []string
	ours   map[string]bool // the command's own names, which Base must not set
	held   []*spill
	script strings.Builder
	loaded map[string]string
	paths  []string
}

// emit builds the block that was planned. Files that were taken for a block
// that fails are given back.
func (p *plan) emit() (*Block, error) {
	b := &block{plan: p, ours: map[string]bool{}}
	b.env = make([]string, 0, len(p.req.Base)+2*len(p.items))
	for i, it := range p.items {
		own := i >= len(p.items)-p.extras
		if err := b.add(it, p.fates[i], own); err != nil {
			return nil, errors.Join(err, releaseAll(b.held))
		}
	}
	b.base()
	return &Block{
		Env: b.env, Prelude: b.script.String(), Loaded: b.loaded, Spilled: b.paths, Warnings: p.warnings,
		release: func() error { return releaseAll(b.held) },
	}, nil
}

func releaseAll(held []*spill) error {
	var all []error
	for _, file := range held {
		all = append(all, file.release())
	}
	return errors.Join(all...)
}

func (b *block) add(it *item, decided fate, own bool) error {
	if own {
		b.ours[it.main], b.ours[it.main+fileSuffix] = true, true
	}
	if decided == exported {
		if err := b.export(it); err != nil {
			return err
		}
	}
	if decided == spilled || decided == loaded || b.plan.filed[it] {
		return b.spill(it, decided, own)
	}
	return nil
}

func (b *block) export(it *item) error {
	e, err := it.export(b.plan.req.Load)
	if err != nil {
		return err
	}
	if b.plan.has(it, it.main) {
		b.env = append(b.env, e.main)
	}
	if b.plan.has(it, it.alias) {
		b.env = append(b.env, e.alias)
	}
	return nil
}

func (b *block) spill(it *item, decided fate, own bool) error {
	store := b.plan.req.Spills
	if store == nil {
		return &SpillError{Variable: it.path, Size: it.size, Err: ErrNoSpills}
	}
	file, err := store.hold(it, func() (string, error) { return it.read(b.plan.req.Load) })
	if err != nil {
		return &SpillError{Variable: it.path, Size: it.size, Err: err}
	}
	b.held = append(b.held, file)
	if own {
		file.retire()
	}
	if decided == loaded {
		if err := b.load(it, file.path); err != nil {
			return err
		}
	}
	b.paths = append(b.paths, it.path)
	if b.plan.has(it, it.main) && !b.taken(it) {
		b.env = append(b.env, file.entry)
	}
	return nil
}

// load hands a spilled variable to the shell.
func (b *block) load(it *item, path string) error {
	names := b.plan.namesOf(it)
	if b.plan.req.Shell != InProcess {
		b.script.WriteString(preludeFor(b.plan.req.Shell, path, names))
		return nil
	}
	text, err := it.read(b.plan.req.Load)
	if err != nil {
		return err
	}
	if b.loaded == nil {
		b.loaded = map[string]string{}
	}
	for _, name := range names {
		b.loaded[name] = text
	}
	return nil
}

// taken reports, with a warning, that a variable bears the name of a file.
func (b *block) taken(it *item) bool {
	if !b.plan.files || len(b.plan.scope.claimants(it.main+fileSuffix)) == 0 {
		return false
	}
	if it.lost.CompareAndSwap(false, true) {
		b.plan.warn("the file of %s is not in the environment: %s%s is a variable", it.path, it.main, fileSuffix)
	}
	return true
}

func (p *plan) namesOf(it *item) []string {
	var names []string
	for _, name := range []string{it.main, it.alias} {
		if p.has(it, name) {
			names = append(names, name)
		}
	}
	return names
}

// base adds the entries to start from. A variable hides the entry of its name
// even where it is not exported itself, because a step must not see a stale
// one. Of two entries with one name the later holds.
func (b *block) base() {
	base := b.plan.req.Base
	last := make(map[string]int, len(base))
	for i, entry := range base {
		name, _, _ := strings.Cut(entry, "=")
		last[name] = i
	}
	for i, entry := range base {
		name, _, _ := strings.Cut(entry, "=")
		if last[name] == i && !b.ours[name] && !b.plan.owns(name) {
			b.env = append(b.env, entry)
		}
	}
}

// owns reports whether a variable of the scope, or its file, has the name.
func (p *plan) owns(name string) bool {
	if main, ok := strings.CutSuffix(name, fileSuffix); ok && strings.HasPrefix(name, prefix) && p.owns(main) {
		return true
	}
	for _, it := range p.scope.claimants(name) {
		if p.has(it, name) {
			return true
		}
	}
	return false
}
