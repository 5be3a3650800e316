package step

import (
	"crypto/sha256"
	"encoding/hex"

	"github.com/brickoven/brickoven/recipes/value"
)

// Arguments is a hash of what the step of the action reads of its variables, by
// which two runs of one step are told apart; empty where it reads nothing. show
// gives texts as they may be hashed, without secrets; nil hashes them as they
// are.
func (a *Action) Arguments(show func(text string) string) string {
	if a.Def == nil || a.Vars == nil {
		return ""
	}
	sum := sha256.New()
	read := false
	for _, path := range a.Def.Reads() {
		text, found := a.Vars.text(path)
		if !found {
			continue
		}
		if show != nil {
			text = show(text)
		}
		read = true
		// A NUL byte is in no path and in no value.
		sum.Write([]byte(path + "\x00" + text + "\x00"))
	}
	if !read {
		return ""
	}
	return hex.EncodeToString(sum.Sum(nil))[:16]
}

// text is the value at a path as text; that of a large one is its hash.
func (v *View) text(path string) (text string, found bool) {
	parts, ok := value.SplitPath(path)
	if !ok {
		return "", false
	}
	item, found := v.Lookup(parts[0])
	if !found {
		return "", false
	}
	if ref, large := item.(value.Ref); large {
		return ref.Hash, true
	}
	if item, found = value.At(item, parts[1:]); !found {
		return "", false
	}
	return value.JSON(item), true
}
