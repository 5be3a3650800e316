//go:build unix

package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// bench is the place where the rows are measured.
type bench struct {
	binary, dir string
	rounds      int
	short       bool
	out         io.Writer

	spawn, empty string
	peers        map[string]string // a peer's name to its program
}

func prepare(binary, parent string, rounds int, short bool, out io.Writer) (*bench, error) {
	binary, err := filepath.Abs(binary)
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(binary); err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp(parent, "brickoven-bench-*")
	if err != nil {
		return nil, err
	}
	b := &bench{dir: dir, rounds: max(rounds, 1), short: short, out: out, peers: map[string]string{}}
	if err := b.install(binary); err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	fmt.Fprintf(out, "%s/%s, %d processors, %d rounds, medians; state in %s; load %s\n", runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), b.rounds, dir, load())
	b.findPeers()
	return b, nil
}

// install puts the programs into the bench's folder.
func (b *bench) install(binary string) error {
	b.binary, b.spawn, b.empty = b.path("brickoven"), b.path("spawn"), b.path("empty")
	for _, program := range []string{b.spawn, b.empty} {
		if err := b.build(program, ".", "./tests/bench/"+filepath.Base(program)); err != nil {
			return err
		}
	}
	return copyProgram(binary, b.binary)
}

// build makes a program out of a package of the module in a folder.
func (b *bench) build(program, module, of string) error {
	linked := program + ".linked"
	build := exec.Command("go", "build", "-o", linked, of)
	build.Dir = module
	if text, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, strings.TrimSpace(string(text)))
	}
	return errors.Join(copyProgram(linked, program), os.Remove(linked))
}

// copyProgram copies a program and lets the kernel read it from the disk again,
// as one that was installed some time ago. How it was written decides in which
// pieces it lies in the cache otherwise, and that alone makes a start up to a
// quarter slower or faster.
func copyProgram(from, to string) (err error) {
	program, err := os.Open(from)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, program.Close()) }()
	file, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o755)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	if _, err := io.Copy(file, program); err != nil {
		return err
	}
	if err := file.Sync(); err != nil {
		return err
	}
	return forget(file)
}

// load is the load average, which says how far the absolute figures can be
// trusted.
func load() string {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "unknown"
	}
	return strings.Join(strings.Fields(string(text))[:3], " ")
}

// findPeers looks for the programs to measure against and names those that are
// missing. Go-task is built from the pinned module; the short form takes it only
// where it is installed, because its first build takes minutes.
func (b *bench) findPeers() {
	for name, programs := range map[string][]string{
		"make": {"make"}, "go-task": {"go-task", "task"}, "recipe-runner-rs": {"recipe-runner-rs"},
	} {
		for _, program := range programs {
			if path, err := exec.LookPath(program); err == nil {
				b.peers[name] = path
				break
			}
		}
	}
	if b.peers["go-task"] == "" && !b.short {
		program := b.path("task")
		if err := b.build(program, filepath.Join("tests", "bench", "tools"), "github.com/go-task/task/v3/cmd/task"); err != nil {
			fmt.Fprintf(b.out, "go-task does not build: %v\n", err)
		} else {
			b.peers["go-task"] = program
		}
	}
	for _, name := range []string{"make", "go-task", "recipe-runner-rs"} {
		if b.peers[name] == "" {
			fmt.Fprintf(b.out, "%s is not installed and not measured\n", name)
		}
	}
}

// ours is a contender that starts brickoven.
func (b *bench) ours(name string, args ...string) contender {
	return contender{name, func() *exec.Cmd { return b.command(b.binary, args...) }}
}

// peer is a contender that starts another program.
func (b *bench) peer(name, program string, args ...string) contender {
	return contender{name, func() *exec.Cmd { return b.command(program, args...) }}
}

// command is a process with a home and a state folder of its own.
func (b *bench) command(program string, args ...string) *exec.Cmd {
	cmd := exec.Command(program, args...)
	cmd.Dir = b.dir
	for _, entry := range os.Environ() { //nolint:forbidigo // this is a program of its own
		if !strings.HasPrefix(entry, "BRICKOVEN") && !strings.HasPrefix(entry, "AMPLIHACK") {
			cmd.Env = append(cmd.Env, entry)
		}
	}
	cmd.Env = append(cmd.Env, "HOME="+b.path("home"), "XDG_STATE_HOME="+b.path("state"))
	return cmd
}

// size is how much of something a row takes.
func (b *bench) size(long, short int) int {
	if b.short {
		return short
	}
	return long
}

func (b *bench) path(name string) string { return filepath.Join(b.dir, name) }

// write makes a file of the row's input and gives its path.
func (b *bench) write(name, text string) (string, error) {
	path := b.path(name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return "", err
	}
	return path, os.WriteFile(path, []byte(text), 0o644)
}

// recipe writes a recipe of so many steps, each made by step.
func (b *bench) recipe(name string, count int, step func(i int) string) (string, error) {
	var text strings.Builder
	text.WriteString("name: " + strings.TrimSuffix(filepath.Base(name), ".yaml") + "\nrecursion: {max_total_steps: 1000000}\nsteps:\n")
	for i := range count {
		text.WriteString("  - id: s" + fmt.Sprint(i) + "\n" + step(i))
	}
	return b.write(name, text.String())
}
