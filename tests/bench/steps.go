//go:build unix

package main

import (
	"fmt"
	"strings"
)

func fiveHundred(b *bench) ([]figure, error) {
	count := b.size(500, 150)
	recipe, err := b.recipe("true.yaml", count, func(int) string { return "    command: 'true'\n" })
	if err != nil {
		return nil, err
	}
	builtin, err := b.recipe("builtin.yaml", count, func(int) string { return "    shell: builtin\n    command: 'true'\n" })
	if err != nil {
		return nil, err
	}
	contenders := []contender{
		b.ours("brickoven", "run", recipe),
		b.peer("posix_spawn", b.spawn, "raw", fmt.Sprint(count)),
		b.ours("shell: builtin", "run", builtin),
	}
	if !b.short {
		contenders = append(contenders,
			b.peer("os/exec", b.spawn, "exec", fmt.Sprint(count)),
			b.peer("bash loop", "/bin/bash", "-c", fmt.Sprintf("for ((i = 0; i < %d; i++)); do /bin/bash -c true; done", count)))
		if contenders, err = b.stepPeers(contenders, recipe, count); err != nil {
			return nil, err
		}
	}
	results, err := b.race(contenders...)
	if err != nil {
		return nil, err
	}
	figures := []figure{b.against(results[0], results[1], 1.15), b.against(results[2], results[1], 0.25)}
	for _, peer := range results[3:] {
		figures = append(figures, b.against(peer, results[1], 0))
	}
	return figures, nil
}

// stepPeers adds the installed runners, each running the same commands.
func (b *bench) stepPeers(contenders []contender, recipe string, count int) ([]contender, error) {
	if program := b.peers["make"]; program != "" {
		// The colon keeps make from running a plain true without a shell.
		file, err := b.write("Makefile", "SHELL = /bin/bash\nall:\n"+strings.Repeat("\t@true;:\n", count))
		if err != nil {
			return nil, err
		}
		contenders = append(contenders, b.peer("make", program, "-s", "-f", file))
	}
	if program := b.peers["go-task"]; program != "" {
		file, err := b.write("Taskfile.yml", "version: '3'\nsilent: true\ntasks:\n  default:\n    cmds:\n"+strings.Repeat("      - /bin/bash -c true\n", count))
		if err != nil {
			return nil, err
		}
		contenders = append(contenders, b.peer("go-task", program, "-t", file))
	}
	if program := b.peers["recipe-runner-rs"]; program != "" {
		contenders = append(contenders, b.peer("recipe-runner-rs", program, recipe))
	}
	return contenders, nil
}

// storing tells how the cost of a step grows with what was stored before it.
func storing(b *bench) ([]figure, error) {
	counts := []int{100, 400, 800, 1200}
	var contenders []contender
	stored := ""
	for _, count := range counts {
		recipe, err := b.recipe(fmt.Sprintf("store%d.yaml", count), count, func(i int) string {
			return fmt.Sprintf("    command: printf v%%01023d %d\n    output: v%d\n", i, i)
		})
		if err != nil {
			return nil, err
		}
		contenders = append(contenders, b.ours(fmt.Sprintf("%d steps", count), "run", recipe))
		if count == 800 {
			stored = recipe
		}
	}
	if program := b.peers["recipe-runner-rs"]; program != "" {
		contenders = append(contenders, b.peer("recipe-runner-rs", program, stored))
	}
	results, err := b.raceRounds(min(b.rounds, 3), contenders...)
	if err != nil {
		return nil, err
	}
	var figures []figure
	for i, count := range counts {
		figures = append(figures, figure{what: results[i].name, value: results[i].median().Seconds() / float64(count) * 1000, unit: "ms/step"})
	}
	// Both spans lie past the environment's budget of 256 KiB.
	before, after := results[2].median()-results[1].median(), results[3].median()-results[2].median()
	figures = append(figures, figure{what: "steps 801-1200 / steps 401-800", value: float64(after) / float64(before), unit: "×", target: 1.15})
	if len(results) > len(counts) {
		figures = append(figures, b.against(results[2], results[4], 0.5))
	}
	return figures, nil
}

// calls measures chains of five recipes, each with nothing to run at its end.
func calls(b *bench) ([]figure, error) {
	for depth := 1; depth <= 5; depth++ {
		step := fmt.Sprintf("    recipe: depth%d\n", depth+1)
		if depth == 5 {
			step = "    condition: 'false'\n    command: 'true'\n"
		}
		if _, err := b.recipe(fmt.Sprintf("calls/depth%d.yaml", depth), 1, func(int) string { return step }); err != nil {
			return nil, err
		}
	}
	var contenders []contender
	for _, chains := range []int{1, 201} {
		name := fmt.Sprintf("chains%d", chains)
		if _, err := b.recipe("calls/"+name+".yaml", chains, func(int) string { return "    recipe: depth1\n" }); err != nil {
			return nil, err
		}
		contenders = append(contenders, b.ours(name, "run", "-R", b.path("calls"), name))
	}
	results, err := b.race(contenders...)
	if err != nil {
		return nil, err
	}
	perCall := float64(results[1].median()-results[0].median()) / 1e6 / 1000
	return []figure{{what: "one call", value: perCall, unit: "ms", target: 0.3}}, nil
}

func parallel(b *bench) ([]figure, error) {
	step := "    parallel_group: g\n    command: sleep 0.1\n"
	recipe, err := b.recipe("parallel.yaml", 50, func(int) string { return step })
	if err != nil {
		return nil, err
	}
	builtin, err := b.recipe("parallel-builtin.yaml", 50, func(int) string { return step + "    shell: builtin\n" })
	if err != nil {
		return nil, err
	}
	results, err := b.race(
		b.ours("brickoven", "run", recipe),
		b.ours("shell: builtin", "run", builtin),
		b.peer("bash &", "/bin/bash", "-c", "for ((i = 0; i < 50; i++)); do /bin/bash -c 'sleep 0.1' & done; wait"),
		b.peer("sleep &", "/bin/bash", "-c", "for ((i = 0; i < 50; i++)); do sleep 0.1 & done; wait"),
	)
	if err != nil {
		return nil, err
	}
	return []figure{
		seconds(results[0], 0.2), seconds(results[1], 0.2), b.against(results[0], results[2], 0), b.against(results[1], results[3], 0),
		{what: "processor time of brickoven / of bash &", value: median(results[0].work) / median(results[2].work), unit: "×"},
	}, nil
}

func start(b *bench) ([]figure, error) {
	recipe, err := b.recipe("small.yaml", 3, func(i int) string { return fmt.Sprintf("    command: echo %d\n", i) })
	if err != nil {
		return nil, err
	}
	contenders := []contender{
		b.ours("version", "version"),
		b.ours("validate", "validate", recipe),
		b.peer("empty Go program", b.empty),
	}
	if program := b.peers["go-task"]; program != "" {
		contenders = append(contenders, b.peer("go-task", program, "--version"))
	}
	results, err := b.raceRounds(b.rounds*4, contenders...)
	if err != nil {
		return nil, err
	}
	figures := []figure{b.against(results[0], results[2], 3), b.against(results[1], results[2], 3)}
	if len(results) > 3 {
		figures = append(figures, b.against(results[0], results[3], 0.125))
	}
	return figures, nil
}
