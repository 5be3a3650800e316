package shell_test

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

// awkward are values that break careless quoting, one way each.
func awkward() map[string]string {
	return map[string]string{
		"plain":             "value",
		"empty":             "",
		"blanks":            "  a  b\t c ",
		"quotes":            `it's "quoted" ''"" $'x'`,
		"backslashes":       `\ \\ \n \\\ a\`,
		"globs":             "* ? [a-z]* {a,b} ~ !(x) @(a|b) &",
		"substitution":      "$(touch PWN) `touch PWN` ${RECIPE_VAR_x} $HOME $((1)) <(touch PWN)",
		"operators":         "; touch PWN & touch PWN | touch PWN > PWN #",
		"breaks out":        "'; touch PWN; '\"; touch PWN; \"`touch PWN`) ; touch PWN } ]] )) EOF",
		"heredoc end":       "a\nEOF\ntouch PWN\nEOF_1\ntouch PWN\nA\nB\nE F!\ntouch PWN\n\tEOF\ntouch PWN",
		"leading dash":      "-v x[$(touch PWN)]",
		"leading tab":       "\t\ttabs\n\tmore",
		"arithmetic":        "a[$(touch PWN)]",
		"braces":            "{{x}} {{ y }} }} {{",
		"unicode":           "naïve – 日本語 🙂 \u0301 \U00100000 \uE000",
		"control":           "\x01\x7f\x1b[31m\r\n\r",
		"trailing newlines": "a\n\n\n",
		"leading newlines":  "\n\na",
		"one newline":       "\n",
		"percent":           "%s %d %n %%",
		"big":               strings.Repeat("0123456789abcde\n", 100<<10/16),
	}
}

func TestEveryContextGivesTheValueByteForByte(t *testing.T) {
	t.Parallel()
	all := rows(t, "contexts.json")
	if len(all) < 120 {
		t.Fatalf("only %d rows", len(all))
	}
	values := awkward()
	var names []string
	var everything strings.Builder
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if name != "big" {
			names = append(names, name)
			everything.WriteString(values[name] + "\n")
		}
	}
	values["everything"] = everything.String()
	for i, r := range all {
		// Every row meets everything at once; the values by themselves take turns, since each costs the start of a shell.
		chosen := []string{"everything", names[i%len(names)]}
		if i%16 == 0 {
			chosen = append(chosen, "big")
		}
		t.Run(r.Name, func(t *testing.T) {
			t.Parallel()
			for _, name := range chosen {
				t.Run(name, func(t *testing.T) {
					checkRow(t, r, values[name], strings.ReplaceAll(r.Want, "@X@", values[name]))
				})
			}
		})
	}
}

func TestPlacesTakeOnlyWhatTheyCanHold(t *testing.T) {
	t.Parallel()
	for _, r := range rows(t, "places.json") {
		t.Run(r.Name, func(t *testing.T) {
			t.Parallel()
			checkRow(t, r, r.Value, r.Want)
		})
	}
}
