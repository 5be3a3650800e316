package template

import (
	"errors"
	"fmt"
	"html"
	"math/big"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	gotemplate "text/template"
	"unicode/utf8"

	"github.com/Masterminds/sprig/v3"
	"github.com/brickoven/brickoven/recipes/value"
)

// textFunctions replace those of sprig and text/template that print values in
// Go's form, cut characters in two, or could fill the memory.
func textFunctions() []*function {
	wrapWith := sprig.GenericFuncMap()["wrapWith"].(func(int, string, string) string)
	return []*function{
		library("print", "v*", func(args ...any) string { return fmt.Sprint(printables(args)...) }),
		library("println", "v*", func(args ...any) string { return fmt.Sprintln(printables(args)...) }),
		library("printf", "sv*", printf),
		library("html", "s", html.EscapeString),
		library("js", "s", gotemplate.JSEscapeString),
		library("urlquery", "s", url.QueryEscape),
		library("toString", "s", func(s string) string { return s }),
		library("toStrings", "l", func(l []any) any { return texts(l) }),
		library("join", "sl", join),
		library("sortAlpha", "l", func(l []any) any {
			sorted := texts(l)
			slices.Sort(sorted)
			return sorted
		}),
		library("cat", "v*", func(args ...any) string { return strings.Join(texts(args), " ") }),
		library("quote", "v*", func(args ...any) string { return quoted(args, strconv.Quote) }),
		library("squote", "v*", func(args ...any) string { return quoted(args, func(s string) string { return "'" + s + "'" }) }),
		library("trunc", "is", trunc),
		library("substr", "iis", substr),
		library("clip", "is", clip),
		library("repeat", "is", func(times int, s string) (string, error) {
			if times < 0 {
				return "", errors.New("a count cannot be negative")
			}
			if err := room(len(s), times); err != nil {
				return "", err
			}
			return strings.Repeat(s, times), nil
		}),
		library("indent", "is", indent),
		library("nindent", "is", func(spaces int, s string) (string, error) {
			text, err := indent(spaces, s)
			return "\n" + text, err
		}),
		library("replace", "sss", func(old, with, s string) (string, error) {
			if err := room(len(with), strings.Count(s, old)); err != nil {
				return "", err
			}
			return strings.ReplaceAll(s, old, with), nil
		}),
		library("wrapWith", "iss", func(width int, with, s string) (string, error) {
			if err := room(len(with), len(s)/max(width, 1)); err != nil {
				return "", err
			}
			return wrapWith(width, with, s), nil
		}),
		library("regexReplaceAll", "sss", func(pattern, s, with string) (string, error) { return regexReplace(pattern, s, with, true) }),
		library("regexReplaceAllLiteral", "sss", func(pattern, s, with string) (string, error) { return regexReplace(pattern, s, with, false) }),
	}
}

// texts are the texts of what is not null.
func texts(items []any) []string {
	out := []string{}
	for _, item := range items {
		if item != nil {
			out = append(out, value.Text(shallow(item)))
		}
	}
	return out
}

func join(separator string, items []any) (string, error) {
	if err := room(len(separator), len(items)); err != nil {
		return "", err
	}
	return strings.Join(texts(items), separator), nil
}

func quoted(items []any, quote func(string) string) string {
	out := texts(items)
	for i := range out {
		out[i] = quote(out[i])
	}
	return strings.Join(out, " ")
}

// trunc keeps the first characters, or the last ones when n is negative.
func trunc(n int, s string) string {
	runes := []rune(s)
	switch {
	case n >= 0 && n < len(runes):
		return string(runes[:n])
	case n < 0 && -n < len(runes):
		return string(runes[len(runes)+n:])
	}
	return s
}

// clip keeps the beginning and the end of a text, n bytes in all, and says
// between them how much it cut; a text of at most n bytes stays as it is.
// Characters are never cut in two.
func clip(n int, s string) (string, error) {
	if n < 0 {
		return "", errors.New("a count cannot be negative")
	}
	if len(s) <= n {
		return s, nil
	}
	head, tail := s[:n/2], s[len(s)-n/2:]
	for head != "" && !utf8.RuneStart(s[len(head)]) {
		head = head[:len(head)-1]
	}
	for tail != "" && !utf8.RuneStart(tail[0]) {
		tail = tail[1:]
	}
	cut := len(s) - len(head) - len(tail)
	return fmt.Sprintf("%s\n[… %d of %d bytes cut here …]\n%s", head, cut, len(s), tail), nil
}

// substr cuts the characters from start up to end; an end that is negative or
// too large is the end of the text.
func substr(start, end int, s string) string {
	runes := []rune(s)
	if end < 0 || end > len(runes) {
		end = len(runes)
	}
	start = min(max(start, 0), end)
	return string(runes[start:end])
}

func indent(spaces int, s string) (string, error) {
	if spaces < 0 {
		return "", errors.New("a count cannot be negative")
	}
	if err := room(spaces, strings.Count(s, "\n")+1); err != nil {
		return "", err
	}
	pad := strings.Repeat(" ", spaces)
	return pad + strings.ReplaceAll(s, "\n", "\n"+pad), nil
}

func regexReplace(pattern, s, with string, expand bool) (string, error) {
	re, err := regexp.Compile(pattern)
	if err != nil {
		return "", err
	}
	matches := re.FindAllStringSubmatchIndex(s, maxItems+1)
	if len(matches) > maxItems {
		return "", errors.New("the pattern matches too often")
	}
	var out []byte
	from := 0
	for _, m := range matches {
		out = append(out, s[from:m[0]]...)
		if expand {
			if err := room(len(with)+len(s), strings.Count(with, "$")); err != nil {
				return "", err
			}
			out = re.ExpandString(out, with, s, m)
		} else {
			out = append(out, with...)
		}
		if len(out) > MaxRendered {
			return "", errTooLong
		}
		from = m[1]
	}
	return string(append(out, s[from:]...)), nil
}

// printable is a number in the hands of package fmt: as text it is what was
// written, to the verbs for numbers it is a number.
type printable value.Number

func (p printable) Format(f fmt.State, verb rune) {
	text := string(p)
	form := fmt.FormatString(f, verb)
	n, ok := value.Rational(value.Number(text))
	switch {
	case ok && strings.ContainsRune("dxXobc", verb) && n.IsInt():
		fmt.Fprintf(f, form, new(big.Int).Set(n.Num()))
	case ok && strings.ContainsRune("eEfFgG", verb):
		float, _ := n.Float64()
		fmt.Fprintf(f, form, float)
	default:
		fmt.Fprintf(f, fmt.FormatString(f, 's'), text)
	}
}

func printables(args []any) []any {
	out := make([]any, len(args))
	for i, arg := range args {
		switch arg := arg.(type) {
		case value.Number:
			out[i] = printable(arg)
		case bool, string:
			out[i] = arg
		default:
			out[i] = value.Text(arg)
		}
	}
	return out
}

// printf refuses widths that would turn a short template into a long text.
func printf(form string, args ...any) (string, error) {
	longest := 0
	for _, arg := range args {
		longest = max(longest, len(value.Text(arg)))
	}
	directives := strings.Split(form, "%")[1:]
	for _, d := range directives {
		width := d[:len(d)-len(strings.TrimLeft(d, "+-# 0123456789.[]*"))]
		if wide(width) {
			return "", errors.New("widths over 999 and widths of * are not supported")
		}
		longest = max(longest, 999)
	}
	if err := room(longest, len(directives)); err != nil {
		return "", err
	}
	return fmt.Sprintf(form, printables(args)...), nil
}

// wide finds a star or a number of more than three digits.
func wide(width string) bool {
	for _, n := range strings.FieldsFunc(width, func(c rune) bool { return strings.ContainsRune("+-# .[]", c) }) {
		if strings.Contains(n, "*") || len(strings.TrimLeft(n, "0")) > 3 {
			return true
		}
	}
	return false
}
