package template

import (
	"slices"
	"sync"

	"github.com/Masterminds/sprig/v3"
)

// Functions lists the names of the functions that a template may call, sorted.
// It is the allow-list of DESIGN section 3: sprig and the built-ins of
// text/template without what reads the environment, the network, the clock or
// randomness, without what changes its arguments, and without what has no
// stable order.
func Functions() []string { return sortedKeys(functions()) }

// sprigFunctions are taken as they are. The second column is the signature, see
// library; the third is sprig's name where ours means its variant that reports
// errors.
func sprigFunctions() [][3]string {
	return [][3]string{
		{"abbrev", "is"}, {"abbrevboth", "iis"}, {"adler32sum", "s"},
		{"append", "lv", "mustAppend"}, {"push", "lv", "mustPush"}, {"prepend", "lv", "mustPrepend"},
		{"b32dec", "s"}, {"b32enc", "s"}, {"b64dec", "s"}, {"b64enc", "s"},
		{"base", "s"}, {"clean", "s"}, {"dir", "s"}, {"ext", "s"}, {"isAbs", "s"},
		{"camelcase", "s"}, {"kebabcase", "s"}, {"snakecase", "s"}, {"swapcase", "s"},
		{"chunk", "il", "mustChunk"}, {"concat", "l*"}, {"contains", "ss"},
		{"deepEqual", "vv"}, {"dict", "v*"}, {"dig", "vvvv*"},
		{"first", "l", "mustFirst"}, {"last", "l", "mustLast"},
		{"initial", "l", "mustInitial"}, {"rest", "l", "mustRest"},
		{"get", "ms"}, {"has", "vl", "mustHas"}, {"hasKey", "ms"},
		{"hasPrefix", "ss"}, {"hasSuffix", "ss"}, {"initials", "s"},
		{"list", "v*"}, {"tuple", "v*"}, {"lower", "s"}, {"upper", "s"},
		{"nospace", "s"}, {"omit", "ms*"}, {"pick", "ms*"}, {"plural", "ssi"}, {"pluck", "sm*"},
		{"regexFind", "ss", "mustRegexFind"}, {"regexFindAll", "ssi", "mustRegexFindAll"},
		{"regexMatch", "ss", "mustRegexMatch"}, {"regexQuoteMeta", "s"},
		{"regexSplit", "ssi", "mustRegexSplit"},
		{"reverse", "l", "mustReverse"}, {"uniq", "l", "mustUniq"}, {"without", "lv*", "mustWithout"},
		{"semverCompare", "ss"}, {"sha1sum", "s"}, {"sha256sum", "s"}, {"sha512sum", "s"},
		{"split", "ss"}, {"splitList", "ss"}, {"splitn", "sis"},
		{"title", "s"}, {"untitle", "s"},
		{"trim", "s"}, {"trimAll", "ss"}, {"trimPrefix", "ss"}, {"trimSuffix", "ss"},
		{"urlJoin", "m"}, {"urlParse", "s"}, {"wrap", "is"},
	}
}

// functions is the allow-list with what each name runs. It is built on the
// first template that needs it, so that start-up does not pay for it.
var functions = sync.OnceValue(func() map[string]*function {
	all := make(map[string]*function)
	from := sprig.GenericFuncMap()
	for _, row := range sprigFunctions() {
		name, signature, original := row[0], row[1], row[2]
		if original == "" {
			original = name
		}
		all[name] = library(name, signature, from[original])
	}
	for _, f := range slices.Concat(textFunctions(), valueFunctions(), numberFunctions()) {
		all[f.name] = f
	}
	return all
})

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}
