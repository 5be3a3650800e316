//go:build unix

package main

import (
	"bytes"
	"fmt"
	"os/exec"
	"strconv"
	"strings"
)

// loading validates recipes whose every step has a template, a condition and a
// variable.
func loading(b *bench) ([]figure, error) {
	counts, targets := []int{1_000, 10_000}, []float64{0.15, 1}
	if b.short {
		counts, targets = []int{250, 1_000}, []float64{0, 0.15}
	}
	var contenders []contender
	for _, count := range counts {
		recipe, err := b.recipe(fmt.Sprintf("load%d.yaml", count), count, func(i int) string {
			return fmt.Sprintf("    command: echo {{v%d}} %d\n    condition: v%d != 'x' and %d > 1\n    output: v%d\n", max(i-1, 0), i, max(i-1, 0), i, i)
		})
		if err != nil {
			return nil, err
		}
		contenders = append(contenders, b.ours(fmt.Sprintf("%d steps", count), "validate", recipe))
	}
	results, err := b.raceRounds(min(b.rounds, 3), contenders...)
	if err != nil {
		return nil, err
	}
	var figures []figure
	for i := range counts {
		figures = append(figures, seconds(results[i], targets[i]))
	}
	growth := b.ratio(results[1], results[0]) * float64(counts[0]) / float64(counts[1])
	return append(figures, figure{what: fmt.Sprintf("a step of %d / a step of %d", counts[1], counts[0]), value: growth, unit: "×", target: 1.2}), nil
}

func listing(b *bench) ([]figure, error) {
	for i := range 1_000 {
		if _, err := b.recipe(fmt.Sprintf("listed/r%d.yaml", i), 3, func(int) string { return "    command: 'true'\n" }); err != nil {
			return nil, err
		}
	}
	results, err := b.race(b.ours("brickoven", "list", "-R", b.path("listed")), b.peer("cat", "/bin/bash", "-c", "cat listed/*.yaml"))
	if err != nil {
		return nil, err
	}
	return []figure{seconds(results[0], 0.3), b.against(results[0], results[1], 0)}, nil
}

// evidence compares collecting evidence with the very git commands it ran,
// which a stand-in for git on PATH records once.
func evidence(b *bench, files int) ([]figure, error) {
	repository := b.path(fmt.Sprintf("repository%d", files))
	build := b.command("/bin/bash", "-euc", buildRepository, "bash", repository, strconv.Itoa(files))
	if text, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%w: %s", err, text)
	}
	args := []string{"run", "-C", repository, "loop-evidence-collector", "--set", "loop_baseline_ref=HEAD~1"}
	replay, err := b.recordGit(args)
	if err != nil {
		return nil, err
	}
	nothing, err := b.recipe("nothing.yaml", 1, func(int) string { return "    condition: 'false'\n    command: 'true'\n" })
	if err != nil {
		return nil, err
	}
	results, err := b.race(
		b.ours("brickoven", args...),
		b.peer("its git commands", "/bin/bash", replay),
		b.ours("a run of nothing", "run", nothing),
	)
	if err != nil {
		return nil, err
	}
	return []figure{b.against(results[0], results[1], 1.3), b.against(results[2], results[1], 0)}, nil
}

const buildRepository = `git init -q "$1"; cd "$1"
git config user.name bench; git config user.email bench@example.invalid
for ((i = 0; i < $2; i++)); do d=d$((i / 100)); ((i % 100)) || mkdir $d; echo $i >$d/f$i; done
git add .; git commit -qm first
for ((i = 0; i < 50; i++)); do echo more >>d0/f$i; done
git commit -qam second
for ((i = 50; i < 99; i++)); do echo more >>d0/f$i; echo new >d0/n$i; done`

// recordGit runs brickoven with a git that writes down what it is asked, and
// gives a script that asks the same again.
func (b *bench) recordGit(args []string) (string, error) {
	real, err := exec.LookPath("git")
	if err != nil {
		return "", err
	}
	record := b.path("record")
	if _, err := b.write("record", ""); err != nil {
		return "", err
	}
	script := fmt.Sprintf("#!/bin/bash\n{ printf '%%q ' cd \"$PWD\"; printf '&& '; printf '%%q ' %[2]q \"$@\"; echo '>/dev/null'; } >>%[1]q\nexec %[2]q \"$@\"\n", record, real)
	if _, err := b.write("recorder/git", script); err != nil {
		return "", err
	}
	cmd := b.command("/bin/bash", "-c", `chmod +x recorder/git && PATH="$PWD/recorder:$PATH" exec "$0" "$@"`, b.binary)
	cmd.Args = append(cmd.Args, args...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("%w: %s", err, strings.TrimSpace(stderr.String()))
	}
	return record, nil
}
