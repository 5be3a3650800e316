package mask

// automaton finds all forms in one pass over a text (Aho and Corasick, 1975).
// A state stands for the longest end of the text so far that begins a form.
//
// The root and the states of one byte have a full row of transitions, because
// that is where nearly all of a text passes; the others have a list of children
// and a link to the next shorter end, so that the size stays in proportion to
// the secrets.
type automaton struct {
	dense []int32 // rows of 256 for the states below wide
	wide  int32
	nodes []node
	// depth is how many bytes a state stands for.
	depth []int32
	// found is the longest form that ends in a state, by index, or -1.
	found []int32
}

type node struct {
	child, sibling, fail int32
	char                 byte
}

// root is the state at the start of a text.
const root int32 = 0

func newAutomaton(forms []form) *automaton {
	a := &automaton{}
	a.number(tries(forms))
	a.link()
	return a
}

// trie is a node while the automaton is built.
type trie struct {
	children []*trie
	char     byte
	form     int32
	depth    int32
	id       int32
}

// tries builds the tree of all forms and lists its nodes level by level.
func tries(forms []form) (order []*trie) {
	top := &trie{form: -1}
	for i, f := range forms {
		at := top
		for _, c := range []byte(f.text) {
			at = at.down(c)
		}
		at.form = int32(i)
	}
	order = []*trie{top}
	for i := 0; i < len(order); i++ {
		order = append(order, order[i].children...)
	}
	return order
}

func (t *trie) down(c byte) *trie {
	for _, child := range t.children {
		if child.char == c {
			return child
		}
	}
	child := &trie{char: c, form: -1, depth: t.depth + 1}
	t.children = append(t.children, child)
	return child
}

// number lays the tree out in arrays.
func (a *automaton) number(order []*trie) {
	a.nodes = make([]node, len(order))
	a.depth = make([]int32, len(order))
	a.found = make([]int32, len(order))
	for i, t := range order {
		t.id = int32(i)
		a.depth[i], a.found[i] = t.depth, t.form
		a.nodes[i].char = t.char
		if t.depth <= 1 {
			a.wide = t.id + 1
		}
	}
	for _, t := range order {
		for i := len(t.children) - 1; i >= 0; i-- {
			child := t.children[i].id
			a.nodes[child].sibling = a.nodes[t.id].child
			a.nodes[t.id].child = child
		}
	}
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
		}
	}
	for parent := range a.nodes {
		for child := a.nodes[parent].child; child != 0; child = a.nodes[child].sibling {
			if parent != int(root) {
				a.nodes[child].fail = a.step(a.nodes[parent].fail, a.nodes[child].char)
			}
			if a.found[child] < 0 {
				a.found[child] = a.found[a.nodes[child].fail]
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
	dense, found, wide := a.dense, a.found, a.wide
	for i := range len(text) {
		if c := text[i]; state < wide {
			state = dense[int(state)*256+int(c)]
		} else {
			state = a.step(state, c)
		}
		// No form is as short as the states with a full row.
		if state >= wide && found[state] >= 0 {
			match(i+1, int(found[state]))
		}
	}
	return state
}
