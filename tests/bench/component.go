//go:build unix

package main

import (
	"fmt"
	"os/exec"
	"regexp"
	"strconv"
)

var measured = regexp.MustCompile(`(?m)^(Benchmark\S*)\s+\d+\s+([\d.]+) ns/op(?:.*?([\d.]+) MB-heap)?`)

// component runs a package's own benchmarks and compares them with bounds in
// seconds and, where there is one, in MB of heap.
func component(pkg, pattern string, bound, memory float64) func(*bench) ([]figure, error) {
	return func(*bench) ([]figure, error) {
		text, err := exec.Command("go", "test", "-run", "^$", "-bench", pattern, "-count", "3", pkg).CombinedOutput()
		if err != nil {
			return nil, fmt.Errorf("%w: %s", err, text)
		}
		found := measured.FindAllSubmatch(text, -1)
		if found == nil {
			return nil, fmt.Errorf("no figure in: %s", text)
		}
		return componentFigures(found, bound, memory)
	}
}

// componentFigures takes the median of each benchmark's repetitions.
func componentFigures(found [][][]byte, bound, memory float64) ([]figure, error) {
	var order []string
	walls, peaks := map[string][]float64{}, map[string][]float64{}
	for _, match := range found {
		name := string(match[1])
		if walls[name] == nil {
			order = append(order, name)
		}
		nanoseconds, err := strconv.ParseFloat(string(match[2]), 64)
		if err != nil {
			return nil, err
		}
		walls[name] = append(walls[name], nanoseconds/1e9)
		if len(match[3]) > 0 {
			peak, err := strconv.ParseFloat(string(match[3]), 64)
			if err != nil {
				return nil, err
			}
			peaks[name] = append(peaks[name], peak)
		}
	}
	var figures []figure
	for _, name := range order {
		figures = append(figures, figure{what: name, value: median(walls[name]), unit: "s", target: bound})
		if memory > 0 && len(peaks[name]) > 0 {
			figures = append(figures, figure{what: name + ", heap", value: median(peaks[name]), unit: "MB", target: memory})
		}
	}
	return figures, nil
}
