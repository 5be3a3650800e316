// Package pattern holds regular expressions that are compiled when they are
// first used, because compiling all of them would be a large part of the start
// of a program that needs none.
package pattern

import (
	"regexp"
	"sync"
)

// Lazy gives a function that compiles a regular expression at its first call
// and returns the same one from then on. It panics at every call if the source
// is not valid. The function is safe for concurrent use.
func Lazy(source string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(source) })
}
