package ledger

import (
	"fmt"
	"testing"

	"github.com/brickoven/brickoven/recipes/value"
	"pgregory.net/rapid"
)

func TestANumberIsFoundOnlyAsATokenOfItsOwn(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		transcript string
		number     value.Number
		want       bool
	}{
		{"found 2.", "2", true}, {"2", "2", true}, {"(2)", "2", true}, {"count=2\n", "2", true}, {"2 failing, 3 ok", "2", true}, {"2.0", "2", true},
		{"total 38,000 tokens", "38000", true}, {"0.50", "0.5", true}, {".5", "0.5", true}, {"67%", "67", true}, {"took 120ms", "120", true}, {"2/5 failing", "2", true},
		{"\x1b[31m2\x1b[0m failing", "2", true}, {"-2", "-2", true}, {"a: -2,", "-2", true}, {"1e3", "1000", true}, {"68,2", "68", true}, {"coverage:68", "68", true}, {"$2", "2", true}, {"2\r\n", "2", true}, {"2\u00a0x", "2", true},
		{"1,234,567.5", "1234567.5", true},
		{"v2", "2", false}, {"-2", "2", false}, {"2", "-2", false}, {"12", "2", false}, {"20", "2", false}, {"2.5", "2", false}, {"1.2.3", "2", false}, {"1.2.3", "1.2", false},
		{"2026-01-02", "2", false}, {"2026-01-02", "2026", false}, {"12:02", "12", false}, {"12:02", "2", false}, {"#2", "2", false}, {"x_2", "2", false}, {"2nd", "2", false},
		{"0x2", "2", false}, {"3f2a", "2", false}, {"38,000", "38", false}, {"38,000", "0", false}, {"release-2", "2", false}, {"2-core", "2", false}, {"src/2/x", "2", false},
		{"01/02/2026", "2", false}, {"\x1b[2m", "2", false}, {"ä2", "2", false}, {"", "2", false}, {"file2.txt", "2", false}, {"2.txt", "2", false}, {"1e3", "1", false}, {"100", "1e3", false},
	} {
		if got := HoldsNumber(test.transcript, test.number); got != test.want {
			t.Errorf("%q holds %s: got %v", test.transcript, test.number, got)
		}
	}
}

func TestANumberIsFoundInAnySentence(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(-1_000_000, 1_000_000).Draw(t, "n")
		form := rapid.SampledFrom([]string{"%d", "there are %d.", "(%d)", "x = %d; y", "%d failing", "\t%d\n"}).Draw(t, "form")
		if !HoldsNumber(fmt.Sprintf(form, n), value.Number(fmt.Sprint(n))) {
			t.Fatalf("%s does not hold %d", form, n)
		}
		if HoldsNumber(fmt.Sprintf(form, n), value.Number(fmt.Sprint(n+1))) {
			t.Fatalf("%s holds %d too", form, n+1)
		}
	})
}
