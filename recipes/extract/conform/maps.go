package conform

import (
	"maps"
	"regexp"
	"slices"
	"strings"
)

func (p place) table() (map[string]any, bool) {
	m, ok := p.value.(map[string]any)
	return m, ok
}

// maps are the keywords about maps.
func (k *keywords) maps() {
	k.size("minProperties", "maxProperties", func(v any) (int, bool) {
		m, ok := v.(map[string]any)
		return len(m), ok
	})
	if v, given := k.m["required"]; given {
		names := k.words(v, k.at("required"))
		k.add(func(p place, r *result, _ *scope) {
			if missing := absent(p, names); len(missing) > 0 {
				r.fail(p.fault("missing %s", counted("property", "properties", missing)))
			}
		})
	}
	k.dependencies()
	if n := k.sub("propertyNames"); n != nil {
		k.add(func(p place, r *result, around *scope) {
			m, _ := p.table()
			for _, name := range slices.Sorted(maps.Keys(m)) {
				r.fail(n.apply(place{name, p.path, p.depth}, around).faults)
			}
		})
	}
	k.properties()
}

// absent lists the names that a map lacks; none for what is no map.
func absent(p place, names []string) (missing []string) {
	m, is := p.table()
	for _, name := range names {
		if _, has := m[name]; is && !has {
			missing = append(missing, name)
		}
	}
	return missing
}

// dependencies are what the presence of a key asks for.
func (k *keywords) dependencies() {
	needs, schemas := map[string][]string{}, []named(nil)
	if k.draft >= draft2019 {
		schemas = k.table("dependentSchemas")
		k.needs("dependentRequired", needs)
	} else if m, ok := k.m["dependencies"].(map[string]any); ok {
		for _, key := range slices.Sorted(maps.Keys(m)) {
			if list, isList := m[key].([]any); isList {
				needs[key] = k.words(list, k.at("dependencies"))
				continue
			}
			schemas = append(schemas, named{key, k.schema(m[key], k.at("dependencies")+"/"+escape.Replace(key), k.node.resource)})
		}
	}
	for _, key := range slices.Sorted(maps.Keys(needs)) {
		k.add(func(p place, r *result, _ *scope) {
			m, _ := p.table()
			if _, has := m[key]; !has {
				return
			}
			if missing := absent(p, needs[key]); len(missing) > 0 {
				r.fail(p.fault("properties %s required, if %s exists", quoted(missing), quote(key)))
			}
		})
	}
	for _, s := range schemas {
		k.add(func(p place, r *result, around *scope) {
			m, _ := p.table()
			if _, has := m[s.name]; has {
				r.join(s.node.apply(p, around))
			}
		})
	}
}

func (k *keywords) needs(name string, into map[string][]string) {
	v, given := k.m[name]
	if !given {
		return
	}
	m, ok := v.(map[string]any)
	if !ok {
		k.fail(k.at(name), "a map of lists is wanted")
	}
	for key, list := range m {
		into[key] = k.words(list, k.at(name))
	}
}

// matching is a schema for the keys that a pattern matches.
type matching struct {
	pattern *regexp.Regexp
	node    *node
}

// properties are the schemas of keys by their names.
func (k *keywords) properties() {
	known := map[string]*node{}
	for _, n := range k.table("properties") {
		known[n.name] = n.node
	}
	var patterns []matching
	for _, n := range k.table("patternProperties") {
		if re := k.pattern(n.name, k.at("patternProperties")); re != nil {
			patterns = append(patterns, matching{re, n.node})
		}
	}
	rest := k.sub("additionalProperties")
	forbidden := k.m["additionalProperties"] == false
	if len(known) == 0 && len(patterns) == 0 && rest == nil {
		return
	}
	k.add(func(p place, r *result, around *scope) {
		m, _ := p.table()
		var extra []string
		for _, name := range slices.Sorted(maps.Keys(m)) {
			at, found := p.below(name, m[name]), false
			if n := known[name]; n != nil {
				r.fail(n.apply(at, around).faults)
				found = true
			}
			for _, one := range patterns {
				if one.pattern.MatchString(name) {
					r.fail(one.node.apply(at, around).faults)
					found = true
				}
			}
			switch {
			case found:
			case forbidden:
				extra = append(extra, name)
			case rest != nil:
				r.fail(rest.apply(at, around).faults)
				found = true
			}
			if found {
				r.sawName(name)
			}
		}
		if len(extra) > 0 {
			r.fail(p.fault("additional properties %s not allowed", quoted(extra)))
		}
	})
}

// unevaluated are the keywords about what no other keyword has looked at. What
// a schema that does not hold has looked at is not known, so there is nothing to
// say about a value with faults.
func (k *keywords) unevaluated() {
	if n := k.sub("unevaluatedItems"); n != nil {
		k.add(func(p place, r *result, around *scope) {
			list, _ := p.list()
			if !r.ok() {
				return
			}
			for i, item := range list {
				if !r.allItems && !r.items[i] {
					r.fail(n.apply(p.item(i, item), around).faults)
				}
			}
			r.allItems = true
		})
	}
	if n := k.sub("unevaluatedProperties"); n != nil {
		k.add(func(p place, r *result, around *scope) {
			m, _ := p.table()
			if !r.ok() {
				return
			}
			for _, name := range slices.Sorted(maps.Keys(m)) {
				if !r.allNames && !r.names[name] {
					r.fail(n.apply(p.below(name, m[name]), around).faults)
				}
			}
			r.allNames = true
		})
	}
}

// counted words a list of names behind the word for what they are.
func counted(one, many string, names []string) string {
	if len(names) > 1 {
		one = many
	}
	return one + " " + quoted(names)
}

func quoted(names []string) string {
	list := make([]string, len(names))
	for i, name := range names {
		list[i] = quote(name)
	}
	return strings.Join(list, ", ")
}
