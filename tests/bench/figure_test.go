//go:build unix

package main

import (
	"testing"
	"time"
)

func TestOnlyRatiosOverTwiceTheirTargetAreBroken(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		figure  figure
		verdict string
	}{
		{figure{value: 9, unit: "×"}, ""},
		{figure{value: 1.15, unit: "×", target: 1.15}, "ok"},
		{figure{value: 2.3, unit: "×", target: 1.15}, "over"},
		{figure{value: 2.31, unit: "×", target: 1.15}, "BROKEN"},
		{figure{value: 9, unit: "×", target: 1.15, work: 2.4}, "BROKEN"},
		{figure{value: 9, unit: "×", target: 1.15, work: 1.2}, "over"},
		{figure{value: 60, unit: "s", target: 0.1}, "over"},
		{figure{value: 900, unit: "MB", target: 80}, "over"},
	} {
		if got := test.figure.verdict(); got != test.verdict {
			t.Errorf("%v: %q, not %q", test.figure, got, test.verdict)
		}
	}
}

// A round in which the whole machine was slow changes both sides alike.
func TestRatioIsTheMedianOfTheRoundsRatios(t *testing.T) {
	t.Parallel()
	ours := times{wall: []time.Duration{110, 1100, 110, 130, 100}}
	theirs := times{wall: []time.Duration{100, 1000, 100, 100, 100}}
	if got := ratio(ours, theirs); got != 1.1 {
		t.Error(got)
	}
}

func TestComponentFiguresAreMediansOfTheRepetitions(t *testing.T) {
	t.Parallel()
	text := "BenchmarkReplay-2 \t 3\t 500000000 ns/op\t 120.5 MB-heap\t 8 B/op\n" +
		"BenchmarkReplay-2 \t 3\t 700000000 ns/op\t 140.0 MB-heap\n" +
		"BenchmarkReplay-2 \t 3\t 600000000 ns/op\t 130.0 MB-heap\nok\n"
	figures, err := componentFigures(measured.FindAllSubmatch([]byte(text), -1), 1, 150)
	if err != nil || len(figures) != 2 {
		t.Fatal(figures, err)
	}
	if figures[0].value != 0.6 || figures[1].value != 130 {
		t.Error(figures)
	}
}

func TestEveryRowHasANameOfItsOwn(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, r := range rows {
		if seen[r.name] {
			t.Errorf("two rows are %s", r.name)
		}
		seen[r.name] = true
	}
}
