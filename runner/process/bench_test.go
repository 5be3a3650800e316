//go:build unix

package process_test

import (
	"context"
	"os"
	"os/exec"
	"testing"

	"github.com/brickoven/brickoven/runner/process"
)

// BenchmarkTrue is one short step, with its output kept; BenchmarkExecTrue is
// the same program through os/exec with nothing kept.
func BenchmarkTrue(b *testing.B) {
	spool := open(b, b.TempDir())
	for b.Loop() {
		stream := spool.Stream("true")
		tail := process.NewTail()
		_, err := family.Run(context.Background(), process.Spec{
			Argv: []string{"/bin/bash", "-c", "true"}, Env: os.Environ(), Stdout: stream, Stderr: tail,
		})
		if err != nil {
			b.Fatal(err)
		}
		if _, err := stream.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkExecTrue(b *testing.B) {
	for b.Loop() {
		if err := exec.Command("/bin/bash", "-c", "true").Run(); err != nil {
			b.Fatal(err)
		}
	}
}

const gigabyte = 1 << 30

// BenchmarkGigabyte is a step that prints 1 GB, BenchmarkCat the same into a
// file by the shell itself.
func BenchmarkGigabyte(b *testing.B) {
	b.SetBytes(gigabyte)
	for b.Loop() {
		dir := b.TempDir()
		stream := open(b, dir).Stream("gigabyte")
		exit, err := family.Run(context.Background(), process.Spec{
			Argv: []string{"/bin/bash", "-c", "head -c 1073741824 /dev/zero | cat"}, Env: os.Environ(), Stdout: stream,
		})
		place, closeErr := stream.Close()
		if err != nil || closeErr != nil || exit.Code != 0 || place.Length != gigabyte {
			b.Fatal(exit, place, err, closeErr)
		}
		_ = os.RemoveAll(dir)
	}
}

func BenchmarkCat(b *testing.B) {
	b.SetBytes(gigabyte)
	for b.Loop() {
		dir := b.TempDir()
		cmd := exec.Command("/bin/bash", "-c", "head -c 1073741824 /dev/zero | cat >out")
		cmd.Dir = dir
		if err := cmd.Run(); err != nil {
			b.Fatal(err)
		}
		_ = os.RemoveAll(dir)
	}
}
