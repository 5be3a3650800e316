package tests

import (
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// small runs a script in a name space of its own, in which the folder disk is a
// file system of a few blocks. Where the system allows none the test is skipped.
func (p *folder) small(options, script string) ended {
	p.t.Helper()
	unshare, err := exec.LookPath("unshare")
	if err != nil {
		p.t.Skip("SKIPPED, NOT TESTED: there is no unshare to mount a small file system with")
	}
	const mount = "mkdir -p disk && mount -t tmpfs -o \"$OPTIONS\" none disk || exit 99\n"
	cmd := p.command()
	cmd.Path, cmd.Args = unshare, []string{"unshare", "-rm", "sh", "-c", mount + script}
	cmd.Env = append(cmd.Env, "OPTIONS="+options, "B="+binary, "BRICKOVEN_STATE_DIR="+p.path("disk"))
	end := wait(p.t, cmd)
	if end.code == 99 || strings.Contains(end.stderr, "unshare:") {
		p.t.Skipf("SKIPPED, NOT TESTED: no small file system can be mounted here: %s", end.stderr)
	}
	return end
}

// contains fails the test where a text lacks one of several others.
func contains(t *testing.T, text string, wants ...string) {
	t.Helper()
	for _, want := range wants {
		if !strings.Contains(text, want) {
			t.Errorf("there is no %q in\n%s", want, text)
		}
	}
}

func TestAFullDiskEndsTheStepThatFilledIt(t *testing.T) {
	t.Parallel()
	p := newFolder(t, map[string]string{"r.yaml": `
name: r
steps:
  - {id: one, command: "echo one >>log; echo small", output: o}
  - {id: two, command: "echo two >>log; head -c ${SIZE:-2000} /dev/zero | tr '\\0' x", output: big}
  - {id: three, command: "echo three >>log; echo {{o}}"}
`})
	end := p.small("size=128k", `
SIZE=1000000 $B run r.yaml; echo "run $?"
$B runs verify; echo "verify $?"
mount -o remount,size=4m disk
$B resume --from two; echo "resume $?"
$B runs verify; echo "verify again $?"
`)
	contains(t, end.stderr, "the output of the step could not be kept", "no space left on device")
	contains(t, end.stdout, "run 1", "verify 0", "resume 0", "verify again 0")
	if log := p.read("log"); log != "one\ntwo\ntwo\nthree\n" {
		t.Errorf("the steps that ran: %q", log)
	}
}

func TestADiskThatIsFullForTheJournalLeavesARunToBeResumed(t *testing.T) {
	t.Parallel()
	p := newFolder(t, map[string]string{"r.yaml": `
name: r
context: {list: [0` + strings.Repeat(", 1", 119) + `]}
steps:
  - {id: many, foreach: "{{list}}", as: x, collect: all, command: "echo ran >>log"}
`})
	end := p.small("size=96k", `
$B run r.yaml; echo "run $?"
$B runs verify; echo "verify $?"
$B runs list
mount -o remount,size=4m disk
$B resume; echo "resume $?"
$B runs verify; echo "verify again $?"
`)
	contains(t, end.stderr, "stopped, and can be resumed", "no space left on device")
	contains(t, end.stdout, "run 1", "verify 0", "  interrupted  ", "resume 0", "verify again 0")
	if ran := strings.Count(p.read("log"), "ran\n"); ran < 120 || ran > 121 {
		t.Errorf("120 elements ran %d times", ran)
	}
}

func TestAReadOnlyStateFolderIsAClearError(t *testing.T) {
	t.Parallel()
	p := newFolder(t, map[string]string{"r.yaml": "name: r\nsteps:\n  - {id: s, command: 'echo ran >log'}\n"})
	end := p.small("ro", "$B run r.yaml --output-format json; echo; echo \"run $?\"\n$B run r.yaml; exit $?")
	contains(t, end.stdout, `"success": false`, "the state folder", "read-only file system")
	contains(t, end.stderr, "the state folder")
	if end.code == 0 || p.read("log") != "" {
		t.Errorf("exit %d, and the step left %q", end.code, p.read("log"))
	}
}

func TestAStateFolderThatCannotBeMadeIsAClearError(t *testing.T) {
	t.Parallel()
	p := newFolder(t, map[string]string{"r.yaml": "name: r\nsteps:\n  - {id: s, command: 'echo ran >log'}\n", "file": ""})
	end := p.run("run", "r.yaml", "--state-dir", "file/state")
	contains(t, end.stderr, "the state folder", "not a directory")
	if end.code == 0 || p.read("log") != "" {
		t.Errorf("exit %d, and the step left %q", end.code, p.read("log"))
	}
}

func TestAWorkingDirectoryThatVanishesFailsTheNextStep(t *testing.T) {
	t.Parallel()
	p := newFolder(t, map[string]string{
		"r.yaml": "name: r\nsteps:\n  - {id: one, command: 'rm -rf \"$PWD\"; echo gone'}\n  - {id: two, command: echo two}\n", "work/x": "",
	})
	end := p.run("run", "./r.yaml", "-C", "work", "--state-dir", p.path("state"), "--output-format", "json")
	if end.code != 1 {
		t.Errorf("exit %d", end.code)
	}
	contains(t, end.stdout, `"failed_step": "two"`, filepath.Base(p.path("work")), "no such file or directory")
	if verified := p.run("runs", "verify", "--state-dir", p.path("state")); verified.code != 0 {
		t.Errorf("verify: %s", verified.stderr)
	}
	resumed := p.run("resume", "--from", "two", "--state-dir", p.path("state"))
	contains(t, resumed.stderr, "work", "is not a folder")
}

func TestAStepMayCloseItsOutputs(t *testing.T) {
	t.Parallel()
	p := newFolder(t, map[string]string{"r.yaml": `
name: r
steps:
  - {id: one, command: "echo before; exec >&-; sleep 0.1; echo one >>log", output: o}
  - {id: two, command: "exec >&- 2>&-; sleep 0.1; echo two >>log"}
  - {id: three, command: "test {{o}} = before && echo after >&-", continue_on_error: true}
`})
	end := p.run("run", "r.yaml")
	if end.code != 0 || p.read("log") != "one\ntwo\n" {
		t.Errorf("exit %d, log %q, %s", end.code, p.read("log"), end.stderr)
	}
	contains(t, end.stdout, "before", "[failed] three")
	if verified := p.run("runs", "verify"); verified.code != 0 {
		t.Errorf("verify: %s", verified.stderr)
	}
}

// A program that nobody reads any more still ends its run properly.
func TestAnOutputThatNobodyTakesLeavesAnIntactRun(t *testing.T) {
	t.Parallel()
	p := newFolder(t, map[string]string{"r.yaml": "name: r\nsteps:\n  - {id: s, command: 'echo text'}\n"})
	cmd := p.command()
	cmd.Path, cmd.Args = "/bin/sh", []string{"sh", "-c", "\"$B\" run r.yaml >&- 2>&-; echo ended"}
	cmd.Env = append(cmd.Env, "B="+binary)
	wait(t, cmd)
	shown := p.run("runs", "show")
	if !regexp.MustCompile(`Status: +success`).MatchString(shown.stdout) {
		t.Errorf("the run: %s%s", shown.stdout, shown.stderr)
	}
}
