package conform

// node is a compiled schema.
type node struct {
	// checks are the keywords, in an order in which those that ask what others
	// have evaluated come last.
	checks []check
	// resource is the schema with an $id, or the root, that this one is part of.
	resource *resource
}

// check is one keyword at work. It notes in r what it finds.
type check func(p place, r *result, around *scope)

// resource is a schema with an identifier of its own.
type resource struct {
	base    string
	root    *node
	anchors map[string]*node // by $anchor and $dynamicAnchor
	dynamic map[string]*node // by $dynamicAnchor
}

// scope is the way that evaluation has taken through resources, the innermost
// first.
type scope struct {
	resource *resource
	outer    *scope
}

// outermost finds the first schema on the way with a $dynamicAnchor.
func (s *scope) outermost(anchor string) (found *node) {
	for ; s != nil; s = s.outer {
		if n := s.resource.dynamic[anchor]; n != nil {
			found = n
		}
	}
	return found
}

// result is what applying a schema to a value came to.
type result struct {
	faults []Fault
	// names and items are the keys and indexes that keywords have evaluated;
	// allNames and allItems stand for all of them.
	names              map[string]bool
	items              map[int]bool
	allNames, allItems bool
}

// maxDepth is how many schemas may lead to a place; one that refers to itself
// without going on in the value never ends.
const maxDepth = 10_000

func (n *node) apply(p place, around *scope) *result {
	if around == nil || around.resource != n.resource {
		around = &scope{n.resource, around}
	}
	r := &result{}
	if p.depth++; p.depth > maxDepth {
		r.fail(p.fault("the schema refers to itself without end"))
		return r
	}
	for _, c := range n.checks {
		c(p, r, around)
	}
	return r
}

func (r *result) ok() bool { return len(r.faults) == 0 }

func (r *result) fail(faults []Fault) { r.faults = append(r.faults, faults...) }

// join takes over what another schema found about the same value. Only a schema
// that holds has evaluated anything.
func (r *result) join(other *result) {
	if !other.ok() {
		r.fail(other.faults)
		return
	}
	r.allNames, r.allItems = r.allNames || other.allNames, r.allItems || other.allItems
	for name := range other.names {
		r.sawName(name)
	}
	for i := range other.items {
		r.sawItem(i)
	}
}

func (r *result) sawName(name string) {
	if r.names == nil {
		r.names = map[string]bool{}
	}
	r.names[name] = true
}

func (r *result) sawItem(i int) {
	if r.items == nil {
		r.items = map[int]bool{}
	}
	r.items[i] = true
}
