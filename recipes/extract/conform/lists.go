package conform

import (
	"fmt"
	"strconv"
)

func (p place) list() ([]any, bool) {
	list, ok := p.value.([]any)
	return list, ok
}

func (p place) item(i int, v any) place { return p.below(strconv.Itoa(i), v) }

// lists are the keywords about lists.
func (k *keywords) lists() {
	k.size("minItems", "maxItems", func(v any) (int, bool) {
		list, ok := v.([]any)
		return len(list), ok
	})
	if k.flag("uniqueItems") {
		k.add(unique)
	}
	prefix, rest := k.items()
	if prefix != nil || rest != nil {
		k.add(func(p place, r *result, around *scope) {
			list, _ := p.list()
			for i, item := range list {
				n := rest
				if i < len(prefix) {
					n = prefix[i]
				}
				if n != nil {
					r.fail(n.apply(p.item(i, item), around).faults)
					r.sawItem(i)
				}
			}
		})
	}
	k.contains()
}

// items are the schemas of the first items and of all others; drafts before
// 2020-12 write both otherwise.
func (k *keywords) items() (prefix []*node, rest *node) {
	if k.draft >= draft2020 {
		return k.subs("prefixItems"), k.sub("items")
	}
	if list, ok := k.m["items"].([]any); ok {
		for i, v := range list {
			prefix = append(prefix, k.schema(v, k.at("items")+"/"+strconv.Itoa(i), k.node.resource))
		}
		return prefix, k.sub("additionalItems")
	}
	return nil, k.sub("items")
}

func (k *keywords) contains() {
	n := k.sub("contains")
	if n == nil {
		return
	}
	least, most := 1, -1
	if k.draft >= draft2019 {
		if want, ok := k.count("minContains"); ok {
			least = want
		}
		if want, ok := k.count("maxContains"); ok {
			most = want
		}
	}
	k.add(func(p place, r *result, around *scope) {
		list, is := p.list()
		if !is {
			return
		}
		matched := 0
		for i, item := range list {
			if n.apply(p.item(i, item), around).ok() {
				matched++
				if k.draft >= draft2020 {
					r.sawItem(i)
				}
			}
		}
		switch {
		case matched < least:
			r.fail(p.fault("min %d items required to match contains schema, but %d matched", least, matched))
		case most >= 0 && matched > most:
			r.fail(p.fault("max %d items required to match contains schema, but %d matched", most, matched))
		}
	})
}

// unique compares the items by a text that equal values have in common, so that
// a long list stays linear.
func unique(p place, r *result, _ *scope) {
	list, _ := p.list()
	seen := make(map[string]int, len(list))
	for i, item := range list {
		text := canonical(item)
		if first, twice := seen[text]; twice {
			r.fail(p.fault("items at %d and %d are equal", first, i))
			return
		}
		seen[text] = i
	}
}

func (k *keywords) flag(name string) bool {
	v, given := k.m[name]
	on, ok := v.(bool)
	if given && !ok {
		k.fail(k.at(name), fmt.Sprintf("%s is true or false", name))
	}
	return on
}
