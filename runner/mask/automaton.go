package mask

// automaton finds all forms in one pass over a text (Aho and Corasick, 1975).
// A state stands for the longest end of the text so far that begins a form.
//
// The root and the states of one byte have a full row of transitions, and the
// stretches of a text that stay in them, which are nearly all of it, are passed
// over pair by pair. The other states have a list of children and a link to the
// next shorter end, so that the size stays in proportion to the secrets.
type automaton struct {
	pairs pairs
	dense []int32 // rows of 256 for the states below wide
	wide  int32
	nodes []node
}

// node is a state.
type node struct {
	child, sibling int32 // 0 is none
	fail           int32 // the state of the next shorter end
	depth          int32 // how many bytes the state stands for
	found          int32 // the longest form that ends here, by index, or -1
	char           byte
}

// pairs has a bit for each two bytes that begin a form.
type pairs [1 << 16 / 64]uint64

func (p *pairs) set(a, b byte) {
	i := uint(a)<<8 | uint(b)
	p[i>>6] |= 1 << (i & 63)
}

func (p *pairs) has(a, b byte) bool {
	i := uint(a)<<8 | uint(b)
	return p[i>>6]>>(i&63)&1 != 0
}

// root is the state at the start of a text.
const root int32 = 0

func newAutomaton(forms []form) *automaton {
	a := &automaton{nodes: byLevel(tree(forms))}
	for a.wide < int32(len(a.nodes)) && a.nodes[a.wide].depth <= 1 {
		a.wide++
	}
	a.link()
	return a
}

// tree builds the tree of all forms.
func tree(forms []form) []node {
	size := 1
	for _, f := range forms {
		size += len(f.text)
	}
	nodes := append(make([]node, 0, size), node{found: -1})
	for i, f := range forms {
		at := root
		for _, c := range []byte(f.text) {
			next := nodes[at].child
			for next != 0 && nodes[next].char != c {
				next = nodes[next].sibling
			}
			if next == 0 {
				next = int32(len(nodes))
				nodes = append(nodes, node{sibling: nodes[at].child, depth: nodes[at].depth + 1, found: -1, char: c})
				nodes[at].child = next
			}
			at = next
		}
		nodes[at].found = int32(i)
	}
	return nodes
}

// byLevel numbers the nodes of a tree level by level.
func byLevel(tree []node) []node {
	order := make([]int32, 1, len(tree))
	number := make([]int32, len(tree))
	for i := 0; i < len(order); i++ {
		number[order[i]] = int32(i)
		for child := tree[order[i]].child; child != 0; child = tree[child].sibling {
			order = append(order, child)
		}
	}
	nodes := make([]node, len(tree))
	for i, old := range order {
		nodes[i] = tree[old]
		nodes[i].child, nodes[i].sibling = number[tree[old].child], number[tree[old].sibling]
	}
	return nodes
}

// link computes the transitions, level by level.
func (a *automaton) link() {
	a.dense = make([]int32, int(a.wide)*256)
	for state := range a.wide {
		row := a.dense[int(state)*256:][:256]
		if state != root {
			copy(row, a.dense[:256])
		}
		for child := a.nodes[state].child; child != 0; child = a.nodes[child].sibling {
			row[a.nodes[child].char] = child
			if state != root {
				a.pairs.set(a.nodes[state].char, a.nodes[child].char)
			}
		}
	}
	for parent := range a.nodes {
		for child := a.nodes[parent].child; child != 0; child = a.nodes[child].sibling {
			at := &a.nodes[child]
			if parent != int(root) {
				at.fail = a.step(a.nodes[parent].fail, at.char)
			}
			if at.found < 0 {
				at.found = a.nodes[at.fail].found
			}
		}
	}
}

// step gives the state after one more byte.
func (a *automaton) step(state int32, c byte) int32 {
	for state >= a.wide {
		for child := a.nodes[state].child; child != 0; child = a.nodes[child].sibling {
			if a.nodes[child].char == c {
				return child
			}
		}
		state = a.nodes[state].fail
	}
	return a.dense[int(state)*256+int(c)]
}

// shorten gives the state for the longest end of the text that can still become
// a form that was not found yet. It goes on as the given state does.
func (a *automaton) shorten(state int32) int32 {
	for state != root && a.nodes[state].child == 0 {
		state = a.nodes[state].fail
	}
	return state
}

// scan reads text from a state and returns the state behind it. match is called
// with the end of each place where a form ends and the longest such form; it
// is called in the order of the ends.
func scan[T string | []byte](a *automaton, state int32, text T, match func(end, form int)) int32 {
	for i := 0; i < len(text); i++ {
		if state < a.wide && i > 0 {
			// Such a state depends on the last byte alone.
			last := text[i-1]
			for i < len(text) && !a.pairs.has(last, text[i]) {
				last = text[i]
				i++
			}
			state = a.dense[last]
			if i == len(text) {
				break
			}
		}
		state = a.step(state, text[i])
		if found := a.nodes[state].found; found >= 0 {
			match(i+1, int(found))
		}
	}
	return state
}
