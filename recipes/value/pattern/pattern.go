// Package pattern holds regular expressions that are compiled when they are
// first used, because compiling all of them would be a large part of the start
// of a program that needs none.
package pattern

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// Pattern is a regular expression that is compiled at its first use. As a
// variable of a package it is plain data, so that a program's start pays nothing
// for it. It is safe for concurrent use and must not be copied.
type Pattern struct {
	Source string // in the syntax of package regexp
	// Needs are texts of which every match holds one; nil says nothing about
	// matches. It is cheaper to look for them than to compile.
	Needs []string

	once     sync.Once
	compiled *regexp.Regexp
}

// Get gives the compiled expression, the same one at every call. It panics at
// every call if the source is not valid.
func (p *Pattern) Get() *regexp.Regexp {
	p.once.Do(func() { p.compiled = regexp.MustCompile(p.Source) })
	if p.compiled == nil {
		panic("regexp: the pattern `" + p.Source + "` is not valid")
	}
	return p.compiled
}

// FindAll gives the places of all matches and of their groups, as
// [regexp.Regexp.FindAllStringSubmatchIndex] does. A text without what matches
// need is not searched.
func (p *Pattern) FindAll(text string) [][]int {
	in := func(need string) bool { return strings.Contains(text, need) }
	if p.Needs != nil && !slices.ContainsFunc(p.Needs, in) {
		return nil
	}
	return p.Get().FindAllStringSubmatchIndex(text, -1)
}
