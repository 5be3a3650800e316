package conform

// references are $ref and its kin.
func (k *keywords) references() {
	if text := k.word(k.m, "$ref", k.path); text != "" {
		ref := k.refer(text, k.at("$ref"), k.node.resource, false)
		k.add(func(p place, r *result, around *scope) { r.join(ref.target.apply(p, around)) })
	}
	if k.draft >= draft2020 {
		if text := k.word(k.m, "$dynamicRef", k.path); text != "" {
			ref := k.refer(text, k.at("$dynamicRef"), k.node.resource, true)
			k.add(func(p place, r *result, around *scope) { r.join(ref.decided(around).apply(p, around)) })
		}
	}
	if k.draft == draft2019 && k.word(k.m, "$recursiveRef", k.path) != "" {
		ref := k.refer("#", k.at("$recursiveRef"), k.node.resource, false)
		k.add(func(p place, r *result, around *scope) {
			target := ref.target
			if target.resource.dynamic[""] == target {
				target = around.outermost("")
			}
			r.join(target.apply(p, around))
		})
	}
}

// decided is the schema that a reference means on this way through the schema.
func (r *reference) decided(around *scope) *node {
	if r.anchor != "" {
		if n := around.outermost(r.anchor); n != nil {
			return n
		}
	}
	return r.target
}

// logic are the keywords that combine schemas about one value.
func (k *keywords) logic() {
	for _, n := range k.subs("allOf") {
		k.add(func(p place, r *result, around *scope) { r.join(n.apply(p, around)) })
	}
	if nodes := k.subs("anyOf"); nodes != nil {
		k.add(func(p place, r *result, around *scope) { k.anyOf(nodes, p, r, around) })
	}
	if nodes := k.subs("oneOf"); nodes != nil {
		k.add(func(p place, r *result, around *scope) { k.oneOf(nodes, p, r, around) })
	}
	if n := k.sub("not"); n != nil {
		k.add(func(p place, r *result, around *scope) {
			if n.apply(p, around).ok() {
				r.fail(p.fault("'not' failed"))
			}
		})
	}
	if k.draft >= draft7 {
		k.conditional()
	}
}

// anyOf looks at every schema, because each that holds may evaluate something.
func (*keywords) anyOf(nodes []*node, p place, r *result, around *scope) {
	var faults []Fault
	matched := false
	for _, n := range nodes {
		if one := n.apply(p, around); one.ok() {
			matched = true
			r.join(one)
		} else {
			faults = append(faults, one.faults...)
		}
	}
	if !matched {
		r.fail(faults)
	}
}

func (*keywords) oneOf(nodes []*node, p place, r *result, around *scope) {
	var faults []Fault
	matched := -1
	for i, n := range nodes {
		one := n.apply(p, around)
		switch {
		case !one.ok():
			faults = append(faults, one.faults...)
		case matched >= 0:
			r.fail(p.fault("'oneOf' failed, subschemas %d, %d matched", matched, i))
			return
		default:
			matched = i
			r.join(one)
		}
	}
	if matched < 0 {
		r.fail(faults)
	}
}

func (k *keywords) conditional() {
	condition, then, otherwise := k.sub("if"), k.sub("then"), k.sub("else")
	if condition == nil {
		return
	}
	k.add(func(p place, r *result, around *scope) {
		next := otherwise
		if one := condition.apply(p, around); one.ok() {
			r.join(one)
			next = then
		}
		if next != nil {
			r.join(next.apply(p, around))
		}
	})
}
