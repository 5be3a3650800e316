package scope

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// fate is what becomes of an item in one environment.
type fate int

const (
	exported fate = iota
	spilled       // into a file that is named
	loaded        // the same, and by the prelude into the shell
	left          // out
)

// plan decides about one environment.
type plan struct {
	scope    *Scope
	req      Request
	warnings []string

	losers  map[*item]map[string]bool // names that an item does not get
	named   map[*item]bool            // what the command names
	filed   map[*item]bool            // what the command names the file of
	items   []*item                   // oldest first, the command's own last
	extras  int                       // how many of them are the command's own
	fates   []fate
	total   int64 // of everything exported, in bytes
	crowded []int // items that were spilled for want of room, oldest first
	names   int64 // of their files, in bytes
	dropped int   // of those names, which did not fit either
	files   bool  // some variable may bear the name of another's file
}

func newPlan(s *Scope, req Request) *plan {
	if req.MaxValue <= 0 {
		req.MaxValue = DefaultMaxValue
	}
	req.MaxValue = min(req.MaxValue, MaxNamed)
	if req.MaxTotal <= 0 {
		req.MaxTotal = DefaultMaxTotal
	}
	return &plan{scope: s, req: req, named: map[*item]bool{}, filed: map[*item]bool{}}
}

func (p *plan) warn(format string, args ...any) {
	p.warnings = append(p.warnings, fmt.Sprintf(format, args...))
}

// contests settles who gets the names that several visible items want. The
// variables of the author come first and must not clash; a nested key came from
// data and loses to what is there.
func (p *plan) contests() error {
	names := map[string]bool{}
	for layer := p.scope; layer != nil; layer = layer.parent {
		maps.Copy(names, layer.index.contested)
		p.files = p.files || layer.index.files
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		rivals := p.scope.claimants(name)
		if len(rivals) < 2 {
			continue
		}
		slices.SortStableFunc(rivals, func(a, b *item) int { return rank(a) - rank(b) })
		winner := rivals[0]
		for _, it := range rivals[1:] {
			if !it.nested && !sameText(winner, it) {
				return &CollisionError{Name: name, Variables: [2]string{winner.path, it.path}}
			}
			p.lose(it, name)
			if it.nested && it.lost.CompareAndSwap(false, true) {
				p.warn("key %s is not in the environment: %s is already %s", it.path, name, winner.path)
			}
		}
	}
	return nil
}

func rank(it *item) int {
	if it.nested {
		return 1
	}
	return 0
}

func sameText(a, b *item) bool {
	if a.ref != nil && b.ref != nil {
		return *a.ref == *b.ref
	}
	return a.ref == nil && b.ref == nil && a.text == b.text
}

func (p *plan) lose(it *item, name string) {
	if p.losers == nil {
		p.losers = map[*item]map[string]bool{}
	}
	if p.losers[it] == nil {
		p.losers[it] = map[string]bool{}
	}
	p.losers[it][name] = true
}

// has reports whether the item gets its name.
func (p *plan) has(it *item, name string) bool {
	return name != "" && (p.losers == nil || !p.losers[it][name])
}

// collect lists the items, oldest first, the command's own ones last.
func (p *plan) collect() {
	for b := range p.scope.bindings() {
		if len(b.warnings) > 0 && b.warned.CompareAndSwap(false, true) {
			p.warnings = append(p.warnings, b.warnings...)
		}
		for _, it := range b.items {
			if p.has(it, it.main) {
				p.items = append(p.items, it)
			}
		}
	}
	p.mentioned()
	for _, name := range slices.Sorted(maps.Keys(p.req.Extra)) {
		p.extra(name, p.req.Extra[name])
	}
	p.fates = make([]fate, len(p.items))
}

// mentioned finds what the command names.
func (p *plan) mentioned() {
	for _, name := range p.req.Mentions {
		p.mark(name, p.named)
		if main, ok := strings.CutSuffix(name, fileSuffix); ok {
			p.mark(main, p.filed)
		}
	}
}

func (p *plan) mark(name string, set map[*item]bool) {
	for _, it := range p.scope.claimants(name) {
		if p.has(it, name) {
			set[it] = true
		}
	}
}

// extra adds a variable of the command. Where the scope has the very same one
// it serves both; otherwise the scope's loses the name.
func (p *plan) extra(name, text string) {
	it := &item{owner: &binding{name: name}, path: strings.TrimPrefix(name, prefix), main: name, scalar: true}
	it.setText(text)
	p.warnings = append(p.warnings, it.owner.warnings...)
	for _, other := range p.scope.claimants(name) {
		if !p.has(other, name) {
			continue
		}
		if theirs, err := other.read(p.req.Load); err == nil && theirs == it.text {
			p.named[other] = true
			return
		}
		p.lose(other, name)
	}
	p.named[it] = true
	p.items = append(p.items, it)
	p.extras++
}
