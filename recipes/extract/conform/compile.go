package conform

import (
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// draft is the year of a draft, or its number before they had years.
type draft int

const (
	draft6    draft = 6
	draft7    draft = 7
	draft2019 draft = 2019
	draft2020 draft = 2020
)

var drafts = map[string]draft{
	"http://json-schema.org/draft-06/schema":       draft6,
	"http://json-schema.org/draft-07/schema":       draft7,
	"https://json-schema.org/draft/2019-09/schema": draft2019,
	"https://json-schema.org/draft/2020-12/schema": draft2020,
}

// Compile reads a schema, given as a value: a map, or a bool. The error is an
// [*Error].
func Compile(v any) (*Schema, error) {
	c := &compiler{draft: draft2020, document: v, nodes: map[string]*node{}, resources: map[string]*resource{}}
	if m, ok := v.(map[string]any); ok {
		if name, given := m["$schema"]; given {
			text, _ := name.(string)
			d, known := drafts[strings.TrimSuffix(strings.Replace(text, "https://json-schema.org/draft-0", "http://json-schema.org/draft-0", 1), "#")]
			if !known {
				return nil, &Error{"/$schema", quote(text) + " is no draft from 6 to 2020-12"}
			}
			c.draft = d
		}
	}
	root := c.schema(v, "", &resource{anchors: map[string]*node{}, dynamic: map[string]*node{}})
	for i := 0; i < len(c.references) && c.err == nil; i++ {
		c.resolve(c.references[i]) // which may add more
	}
	if c.err != nil {
		return nil, c.err
	}
	return &Schema{root}, nil
}

type compiler struct {
	draft      draft
	document   any
	nodes      map[string]*node     // by their pointers from the root
	resources  map[string]*resource // by their identifiers
	references []*reference
	err        error // the first
}

// reference is a $ref or $dynamicRef that waits for all schemas to be known.
type reference struct {
	text, path string
	from       *resource
	target     *node
	anchor     string // of a $dynamicRef whose target the evaluation decides
	dynamic    bool
}

func (c *compiler) fail(path, message string) {
	if c.err == nil {
		c.err = &Error{path, message}
	}
}

// schema compiles the schema that stands at path.
func (c *compiler) schema(v any, path string, in *resource) *node {
	n := &node{resource: in}
	c.nodes[path] = n
	switch v := v.(type) {
	case bool:
		if in.root == nil {
			in.root = n
		}
		if !v {
			n.checks = []check{func(p place, r *result, _ *scope) { r.fail(p.fault("false schema")) }}
		}
		return n
	case map[string]any:
		c.identify(n, v, path)
		c.keywords(n, v, path)
		return n
	}
	c.fail(path, "a schema is a map or a bool")
	return n
}

// identify notes under which names a schema can be referred to.
func (c *compiler) identify(n *node, m map[string]any, path string) {
	id := c.word(m, "$id", path)
	if _, overrides := m["$ref"]; overrides && c.draft < draft2019 {
		id = ""
	}
	if strings.HasPrefix(id, "#") && c.draft < draft2019 {
		n.resource.anchors[id[1:]] = n
		id = ""
	}
	if id != "" {
		n.resource = &resource{base: absolute(n.resource.base, id), anchors: map[string]*node{}, dynamic: map[string]*node{}}
	}
	if n.resource.root == nil {
		n.resource.root = n
		c.resources[n.resource.base] = n.resource
	}
	if c.draft >= draft2019 {
		if anchor := c.word(m, "$anchor", path); anchor != "" {
			n.resource.anchors[anchor] = n
		}
	}
	if c.draft >= draft2020 {
		if anchor := c.word(m, "$dynamicAnchor", path); anchor != "" {
			n.resource.anchors[anchor], n.resource.dynamic[anchor] = n, n
		}
	}
	if c.draft == draft2019 && m["$recursiveAnchor"] == true {
		n.resource.dynamic[""] = n
	}
}

// absolute resolves an identifier, without its fragment, against a base.
func absolute(base, id string) string {
	from, err := url.Parse(base)
	if err != nil {
		return id
	}
	to, err := from.Parse(id)
	if err != nil {
		return id
	}
	to.Fragment, to.RawFragment = "", ""
	return to.String()
}

// refer notes a reference and gives it; its target is set at the end.
func (c *compiler) refer(text, path string, from *resource, dynamic bool) *reference {
	r := &reference{text: text, path: path, from: from, dynamic: dynamic}
	c.references = append(c.references, r)
	return r
}

// resolve finds the schema that a reference means.
func (c *compiler) resolve(r *reference) {
	_, fragment, _ := strings.Cut(r.text, "#")
	to, known := c.resources[absolute(r.from.base, r.text)]
	if strings.HasPrefix(r.text, "#") {
		to, known = r.from, true
	}
	if !known {
		c.fail(r.path, "a schema cannot refer to another document ("+r.text+")")
		return
	}
	if plain, err := url.PathUnescape(fragment); err == nil {
		fragment = plain
	}
	switch {
	case fragment == "":
		r.target = to.root
	case fragment[0] == '/':
		r.target = c.pointed(c.pointerOf(to.root)+fragment, to)
	default:
		r.target = to.anchors[fragment]
		if r.dynamic && to.dynamic[fragment] != nil {
			r.anchor = fragment
		}
	}
	if r.target == nil {
		c.fail(r.path, "there is no schema "+quote(r.text))
	}
}

// pointed is the schema at a pointer. One that stands where no keyword looks is
// compiled now.
func (c *compiler) pointed(path string, in *resource) *node {
	if n := c.nodes[path]; n != nil {
		return n
	}
	v := c.document
	for _, part := range strings.Split(path, "/")[1:] {
		part = unescape.Replace(part)
		switch above := v.(type) {
		case map[string]any:
			v = above[part]
		case []any:
			i, err := strconv.Atoi(part)
			if err != nil || i < 0 || i >= len(above) {
				return nil
			}
			v = above[i]
		}
	}
	if v == nil {
		return nil
	}
	return c.schema(v, path, in)
}

var unescape = strings.NewReplacer("~1", "/", "~0", "~")

func (c *compiler) pointerOf(n *node) string {
	for path, other := range c.nodes {
		if other == n {
			return path
		}
	}
	return ""
}

// keywords compiles the keywords of a schema in the order in which they work.
func (c *compiler) keywords(n *node, m map[string]any, path string) {
	k := &keywords{compiler: c, node: n, m: m, path: path}
	if _, overrides := m["$ref"]; overrides && c.draft < draft2019 {
		k.definitions()
		k.references()
		return
	}
	k.definitions()
	k.references()
	k.values()
	k.logic()
	k.lists()
	k.maps()
	if c.draft >= draft2019 {
		k.unevaluated()
	}
}

// keywords is one schema on its way to a node.
type keywords struct {
	*compiler
	node *node
	m    map[string]any
	path string
}

func (k *keywords) add(c check) { k.node.checks = append(k.node.checks, c) }

func (k *keywords) at(name string) string { return k.path + "/" + escape.Replace(name) }

// sub compiles the schema of a keyword; nil where it is not there.
func (k *keywords) sub(name string) *node {
	v, given := k.m[name]
	if !given {
		return nil
	}
	return k.schema(v, k.at(name), k.node.resource)
}

// subs compiles a list of schemas.
func (k *keywords) subs(name string) []*node {
	v, given := k.m[name]
	if !given {
		return nil
	}
	list, ok := v.([]any)
	if !ok || len(list) == 0 {
		k.fail(k.at(name), "a list of schemas is wanted")
		return nil
	}
	nodes := make([]*node, len(list))
	for i, item := range list {
		nodes[i] = k.schema(item, k.at(name)+"/"+strconv.Itoa(i), k.node.resource)
	}
	return nodes
}

// named is a schema with the key it stands under.
type named struct {
	name string
	node *node
}

// table compiles a map of schemas, sorted by key.
func (k *keywords) table(name string) []named {
	v, given := k.m[name]
	if !given {
		return nil
	}
	m, ok := v.(map[string]any)
	if !ok {
		k.fail(k.at(name), "a map of schemas is wanted")
		return nil
	}
	list := make([]named, 0, len(m))
	for _, key := range slices.Sorted(maps.Keys(m)) {
		list = append(list, named{key, k.schema(m[key], k.at(name)+"/"+escape.Replace(key), k.node.resource)})
	}
	return list
}

// definitions compiles what is only referred to.
func (k *keywords) definitions() {
	k.table("definitions")
	k.table("$defs")
}
