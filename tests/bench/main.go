//go:build unix

// Command bench measures whole brickoven processes beside what people would
// use instead, in one run on one machine, and prints a table of ratios with
// their targets.
//
//	bench [-short] [-rounds N] [-only PATTERN] [-binary FILE] [-dir DIR]
//
// The contenders of a row run in turns (A B A B), so that a machine that is
// busy for a while slows all of them; a ratio is the median of the rounds'
// ratios. It exits with 1 when a ratio is more than twice its target, and
// never because of an absolute time. -short is for CI: rows with ratios only,
// with smaller numbers, the best rounds compared, and again where it seems broken.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
)

func main() {
	code, err := run(os.Args[1:], os.Stdout)
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
	}
	os.Exit(code) //nolint:forbidigo // this is main
}

func run(args []string, out io.Writer) (int, error) {
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	short := flags.Bool("short", false, "leave out what takes long")
	rounds := flags.Int("rounds", 5, "how often every contender runs")
	only := flags.String("only", "", "the rows whose name matches this pattern")
	binary := flags.String("binary", "bin/brickoven", "the program to measure")
	parent := flags.String("dir", "", "where the state and the inputs are kept; a folder on the disk that matters")
	if err := flags.Parse(args); err != nil {
		return 2, err
	}
	pattern, err := regexp.Compile(*only)
	if err != nil {
		return 2, err
	}
	b, err := prepare(*binary, *parent, *rounds, *short, out)
	if err != nil {
		return 2, err
	}
	defer func() { _ = os.RemoveAll(b.dir) }()
	broken := b.measure(pattern)
	if broken > 0 {
		return 1, fmt.Errorf("%d figures are clearly broken", broken)
	}
	return 0, nil
}

// row is one line of the table of bounds: it measures some figures.
type row struct {
	name string
	long bool // not in the short form
	run  func(b *bench) ([]figure, error)
}

// figure is one measured value. The target is what it should be at most; zero
// where it is only reported.
type figure struct {
	what   string
	value  float64
	unit   string // "×" for a ratio
	target float64
	detail string
	// work is the same ratio of processor times; zero where it was not taken.
	work float64
}

func (f figure) verdict() string {
	switch {
	case f.target == 0:
		return ""
	case f.value <= f.target:
		return "ok"
	case f.broken():
		return "BROKEN"
	}
	return "over"
}

// broken ratios fail; absolute figures depend on the machine and never do. A
// ratio of times that only a busy machine has spoilt is right in processor time.
func (f figure) broken() bool {
	clearly := func(value float64) bool { return value > 2*f.target }
	return f.unit == "×" && f.target > 0 && clearly(f.value) && (f.work == 0 || clearly(f.work))
}

// patiently measures a row, in the short form up to three times while something
// seems broken: what is really broken stays so, and a busy machine does not.
func (b *bench) patiently(r row) (figures []figure, err error) {
	for range b.size(1, 3) {
		if figures, err = r.run(b); err != nil || !slices.ContainsFunc(figures, figure.broken) {
			break
		}
	}
	return figures, err
}

func (b *bench) measure(pattern *regexp.Regexp) (broken int) {
	fmt.Fprintf(b.out, "%-58s %12s %10s  %-7s %s\n", "what", "measured", "target", "", "medians")
	for _, r := range rows {
		if r.long && b.short || !pattern.MatchString(r.name) {
			continue
		}
		figures, err := b.patiently(r)
		if err != nil {
			fmt.Fprintf(b.out, "%-58s cannot be measured: %v\n", r.name, err)
			broken++
			continue
		}
		for _, f := range figures {
			target := "-"
			if f.target > 0 {
				target = fmt.Sprintf("%.4g %s", f.target, f.unit)
			}
			fmt.Fprintf(b.out, "%-58s %12s %10s  %-7s %s\n", r.name+": "+f.what, fmt.Sprintf("%.3g %s", f.value, f.unit), target, f.verdict(), f.detail)
			if f.broken() {
				broken++
			}
		}
	}
	return broken
}
