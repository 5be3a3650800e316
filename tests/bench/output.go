//go:build unix

package main

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
)

// gigabyte compares the rate at which a step's output gets to the disk with that
// of cat, both behind the same pipe.
func gigabyte(b *bench) ([]figure, error) {
	printing := fmt.Sprintf("head -c %d /dev/zero", 1<<30)
	recipe, err := b.recipe("gigabyte.yaml", 1, func(int) string { return "    command: " + printing + "\n" })
	if err != nil {
		return nil, err
	}
	ours := contender{"brickoven", func() *exec.Cmd {
		_ = os.RemoveAll(b.path("state"))
		return b.command(b.binary, "run", recipe)
	}}
	cat := contender{"cat to a file", func() *exec.Cmd {
		_ = os.RemoveAll(b.path("gigabyte"))
		return b.command("/bin/bash", "-c", printing+" | cat >gigabyte")
	}}
	results, err := b.raceRounds(min(b.rounds, 3), ours, cat)
	_, _ = os.RemoveAll(b.path("state")), os.RemoveAll(b.path("gigabyte"))
	if err != nil {
		return nil, err
	}
	return []figure{
		b.against(results[0], results[1], 2),
		{what: "resident", value: median(results[0].peak), unit: "MB", target: 80},
	}, nil
}

// extraction reads an answer that is mostly prose with JSON and braces in it.
func extraction(b *bench) ([]figure, error) {
	unit := "The round went on, it's fine; see { above.\n" +
		`Draft: {"loop_verdict":"CONTINUE","moved":["a {brace} in a text","b"],"n":{"x":1.5e3,"y":[true,null]}}` + "\n" +
		strings.Repeat("Prose without any answer in it, \"quoted\" now and then. ", 4) + "\n"
	const size = 200_000_000
	file, err := b.repeat("answer.txt", unit, size/len(unit))
	if err != nil {
		return nil, err
	}
	results, err := b.raceRounds(min(b.rounds, 3), contender{"extract-json", func() *exec.Cmd {
		return b.command("/bin/bash", "-c", `exec "$0" helper extract-json <"$1"`, b.binary, file)
	}})
	if err != nil {
		return nil, err
	}
	rate := size / 1e6 / results[0].median().Seconds()
	return []figure{
		{what: "seconds for 200 MB (150 MB/s)", value: results[0].median().Seconds(), unit: "s", target: 200.0 / 150, detail: fmt.Sprintf("%.0f MB/s", rate)},
		{what: "resident / input", value: median(results[0].peak) * (1 << 20) / size, unit: "×", target: 2},
	}, nil
}

// repeat writes a large file without holding it: what this program holds when it
// forks counts as the size of the process that it measures.
func (b *bench) repeat(name, unit string, count int) (path string, err error) {
	file, err := os.Create(b.path(name))
	if err != nil {
		return "", err
	}
	out := bufio.NewWriter(file)
	for range count {
		if _, err = out.WriteString(unit); err != nil {
			break
		}
	}
	return file.Name(), errors.Join(err, out.Flush(), file.Close())
}
