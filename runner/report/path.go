package report

import (
	"strconv"
	"strings"
)

// place is a path taken apart at its end: outer/inner, with .judge and alike for
// the parts of a loop and [n] for rounds and elements.
type place struct {
	parent string // the path in front of the last name; empty at the top
	name   string // the last name, without index
	part   string // judge, check …; empty for none
	index  int    // -1 without one
}

// locate takes a path apart. Ids may hold any character but a slash at the end of
// a path; a part is only taken for one where known tells that it belongs to a
// loop.
func locate(path string, isLoop func(path string) bool) place {
	p := place{name: path, index: -1}
	if at := strings.LastIndexByte(path, '/'); at >= 0 {
		p.parent, p.name = path[:at], path[at+1:]
	}
	if open := strings.LastIndexByte(p.name, '['); open > 0 && strings.HasSuffix(p.name, "]") {
		if n, err := strconv.Atoi(p.name[open+1 : len(p.name)-1]); err == nil && n >= 0 {
			p.index, p.name = n, p.name[:open]
		}
	}
	if dot := strings.LastIndexByte(p.name, '.'); dot > 0 && isLoop(join(p.parent, p.name[:dot])) {
		p.name, p.part = p.name[:dot], p.name[dot+1:]
	}
	return p
}

// owner is the path of the step that the place is a part of; empty for a step
// that is none.
func (p place) owner() string {
	if p.index < 0 && p.part == "" {
		return ""
	}
	return join(p.parent, p.name)
}

func join(parent, name string) string {
	if parent == "" {
		return name
	}
	return parent + "/" + name
}

// unindexed is a path without the numbers of rounds and elements: what its
// author wrote.
func unindexed(path string) string {
	var b strings.Builder
	for {
		open := strings.IndexByte(path, '[')
		if open < 0 {
			break
		}
		end := strings.IndexByte(path[open:], ']')
		if end < 0 {
			break
		}
		b.WriteString(path[:open])
		path = path[open+end+1:]
	}
	b.WriteString(path)
	return b.String()
}
