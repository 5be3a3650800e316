package scope

import "strings"

// decide gives every item its fate (DESIGN section 6, "Size").
func (p *plan) decide() {
	var named int64
	for i, it := range p.items {
		switch {
		case len(p.losers) > 0 && len(p.namesOf(it)) == 0:
			p.fates[i] = left
		case p.named[it]:
			if it.size <= MaxNamed && named+it.cost() <= maxNamedTotal {
				named += it.cost()
				p.total += it.cost()
				continue
			}
			p.fates[i] = p.outside(it)
			p.total += p.fileCost(it)
		case it.size > int64(p.req.MaxValue) && !it.small():
			p.fates[i] = spilled
			p.total += p.fileCost(it)
		default:
			p.total += it.cost()
		}
	}
	p.shrink(spilled, func(it *item) bool { return !it.small() })
	if n := p.shrink(left, func(it *item) bool { return it.nested && it.small() }); n > 0 {
		p.warn("%d nested keys do not fit into the environment and were left out", n)
	}
	for p.total > int64(p.req.MaxTotal) && len(p.crowded) > 0 {
		p.shed()
	}
	if p.dropped > 0 && p.scope.root().crowded.CompareAndSwap(false, true) {
		p.warn("from now on steps that do not name them get the oldest variables no more (now %d of %d): "+
			"even the names of their files take too much of the environment", p.dropped, len(p.items))
	}
}

// outside is the fate of a named value that is too large to be exported.
func (p *plan) outside(it *item) fate {
	if p.req.Shell == Other {
		p.warn("variable %s (%d bytes) is too large for the environment; %s%s names a file that holds it",
			it.path, it.size, it.main, fileSuffix)
		return spilled
	}
	return loaded
}

// shrink takes exported items out, oldest first, until the rest fits.
func (p *plan) shrink(to fate, eligible func(*item) bool) (count int) {
	for i, it := range p.items {
		if p.total <= int64(p.req.MaxTotal) {
			break
		}
		saved := it.cost()
		if to == spilled {
			saved -= p.fileCost(it)
		}
		if p.fates[i] != exported || p.named[it] || saved <= 0 || !eligible(it) {
			continue
		}
		p.fates[i] = to
		p.total -= saved
		count++
		if to == spilled {
			p.crowd(i)
		}
	}
	return count
}

// crowd counts the name of one more file that a variable got for want of room,
// and drops the oldest of those that take too much room in their turn: bash
// takes in a hundred names in the time of one large value.
func (p *plan) crowd(i int) {
	if p.filed[p.items[i]] {
		return
	}
	p.crowded = append(p.crowded, i)
	p.names += p.fileCost(p.items[i])
	for p.names > maxFileNames {
		p.shed()
	}
}

// shed drops the oldest name of a file.
func (p *plan) shed() {
	i := p.crowded[0]
	p.crowded = p.crowded[1:]
	p.fates[i] = left
	cost := p.fileCost(p.items[i])
	p.names -= cost
	p.total -= cost
	p.dropped++
}

// fileCost is what naming a file takes; the file's own name is a short number.
func (p *plan) fileCost(it *item) int64 {
	const digits = 8
	cost := int64(len(it.main) + len(fileSuffix) + 2 + digits)
	if p.req.Spills != nil {
		cost += int64(len(p.req.Spills.dir))
	}
	return cost
}

// preludeFor loads the variable of a file into the shell, unexported and byte
// for byte. The text has no line break, so that the command's line numbers stay
// right. LC_ALL holds for the read only, where it makes bash take bytes.
func preludeFor(shell Shell, path string, names []string) string {
	file := "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
	first := names[0]
	var text strings.Builder
	if shell == Bash {
		text.WriteString("IFS= LC_ALL=C read -r -d '' " + first + " <" + file + " || :; ")
	} else {
		text.WriteString(first + "=$(cat " + file + "; printf x); " + first + "=${" + first + "%x}; ")
	}
	for _, name := range names[1:] {
		text.WriteString(name + "=$" + first + "; ")
	}
	return text.String()
}
