package agent

import (
	"os"
	"testing"
	"time"

	"github.com/brickoven/brickoven/tests/fakecli"
)

// The test binary stands in for every CLI.
func TestMain(m *testing.M) {
	if preset := os.Getenv(fakecli.EnvPreset); preset != "" {
		os.Exit(fakecli.CLI{
			Preset: preset, Case: os.Getenv(fakecli.EnvCase), Args: os.Args[1:], Env: os.Environ(), In: os.Stdin, Out: os.Stdout, Err: os.Stderr,
		}.Run())
	}
	os.Exit(m.Run())
}

// faked is a request to the fake of a preset.
func faked(t *testing.T, preset, what string) Request {
	t.Helper()
	d, ok := Preset(preset)
	if !ok {
		d = Plain([]string{"command"})
	}
	return fakedBy(t, d, what)
}

func fakedBy(t *testing.T, d *Definition, what string) Request {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	d.Command[0] = self
	voice := d.Name
	if _, known := fakecli.Voices[voice]; !known {
		voice = "command"
	}
	return Request{
		Agent: d, Step: "outer/step", Prompt: "what is it?", Dir: t.TempDir(), Scratch: t.TempDir(),
		Env: []string{fakecli.EnvPreset + "=" + voice, fakecli.EnvCase + "=" + what, "GOCOVERDIR=" + t.TempDir()},
		Now: time.Date(2026, 12, 1, 10, 0, 0, 0, time.UTC),
	}
}

func call(t *testing.T, req Request) Answer {
	t.Helper()
	a, err := Call(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	return a
}
