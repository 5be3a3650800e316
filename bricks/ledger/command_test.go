package ledger

import (
	"path"
	"slices"
	"strings"
	"testing"
)

// machine is a project and a PATH in memory.
type machine struct{ programs, files []string }

func (m machine) Program(dir, name string) bool {
	return slices.Contains(m.programs, name) || m.File(dir, name)
}

func (m machine) File(dir, name string) bool {
	if !path.IsAbs(name) {
		name = path.Join(dir, name)
	}
	return slices.Contains(m.files, name)
}

var workshop = machine{
	programs: strings.Fields("grep make sort ls awk python3 bash env timeout nohup go cat wc tool mktemp docker git"),
	files:    []string{"run.sh", "sub/check.sh", "/opt/tool", "scripts/t.py"},
}

func TestCommandsThatRunAsWrittenAreAccepted(t *testing.T) {
	t.Parallel()
	for _, command := range []string{
		`make test-count`, `grep -c "a|b" f`, `cd sub && ls`, `(ls)`, `! ls`, `sort <in.txt >out.txt`, `sort <in.txt`, `tool --mode A`,
		`./run.sh`, `run.sh`, `cd sub && ./check.sh`, `(cd sub && ./check.sh) && ./run.sh`, `/opt/tool -x`, `python3 scripts/t.py`, `python3 -c 'print(1)'`,
		`python3 -m pytest`, `python3 -W ignore scripts/t.py`, `bash -euo pipefail run.sh`, `bash -c 'x'`, `cat f | python3 -`,
		`A=1 B=2 make x`, `if ls; then make a; else make b; fi`, `for f in a b; do wc -l "$f"; done`, `count() { ls | wc -l; }; count`,
		`echo $(ls | wc -l)`, `[[ -f x ]] && true`, `test -f x; [ -f x ]`, "ls\nmake x", `ls & wait`, `time make x`, `env A=1 make x`,
		`timeout -k 1 10 make x`, `nohup make x`, `command -v nothing-there`, `exec make x`, `grep -c FIXME src.go`, `git grep -c TBD`,
		`mktemp -d x.XXX`, `docker inspect -f '{{.State.Running}}' x`, `grep -c '<div>' page.html`, `tool --root R2`, `grep "it's" f`, `awk '{ print $3 }' f`,
		`source run.sh && make x`, `cat <<'EOF'` + "\nTBD <session-id>\nEOF", `export A=1; make x`, `make x 2>&1 | grep -c err`,
	} {
		if faults := CheckCommand(command, workshop); len(faults) > 0 {
			t.Errorf("%s: %v", command, faults)
		}
	}
}

func TestCommandsThatCanNotRunAsWrittenAreRefused(t *testing.T) {
	t.Parallel()
	for command, want := range map[string]string{
		`echo "x`:                       "does not parse",
		`ls |`:                          "does not parse",
		`nowhere`:                       `the program "nowhere"`,
		`make x | nowhere -l`:           `the program "nowhere"`,
		`make x && nowhere`:             `the program "nowhere"`,
		"make x\nnowhere":               `the program "nowhere"`,
		`make x & nowhere`:              `the program "nowhere"`,
		`echo $(nowhere)`:               `the program "nowhere"`,
		`echo "$(nowhere)"`:             `the program "nowhere"`,
		`cat <(nowhere)`:                `the program "nowhere"`,
		`if nowhere; then ls; fi`:       `the program "nowhere"`,
		`A=1 nowhere`:                   `the program "nowhere"`,
		`env A=1 nowhere`:               `the program "nowhere"`,
		`timeout 5 nowhere`:             `the program "nowhere"`,
		`exec nowhere`:                  `the program "nowhere"`,
		`./check.sh`:                    `the program "./check.sh"`,
		`(cd sub); ./check.sh`:          `the program "./check.sh"`,
		`cd "$X" && ./check.sh`:         "only known when the command runs",
		`cd - && ./check.sh`:            "only known when the command runs",
		`$RUNNER test`:                  "is not written out",
		`python3 scripts/missing.py`:    `the script "scripts/missing.py"`,
		`bash missing.sh`:               `the script "missing.sh"`,
		`. missing.sh`:                  `the script "missing.sh"`,
		`tool --root R`:                 "placeholder --root R",
		`tool --root "R"`:               "placeholder --root R",
		`tool --root=R`:                 "placeholder --root R",
		`tool --root R, x`:              "placeholder --root R",
		`tool --root-dir RD`:            "placeholder --root-dir RD",
		`tool --count N`:                "placeholder --count N",
		`tool --session <session-id>`:   "placeholder <session-id>",
		`tool <session-id> x`:           "placeholder <session-id>",
		`tool '<session-id>'`:           "placeholder <session-id>",
		`tool "--session=<session id>"`: "placeholder --session=<session id>",
		`tool TBD`:                      "placeholder TBD",
		`tool 'FIXME'`:                  "placeholder FIXME",
		`tool out-XXX.txt`:              "placeholder XXX",
		`tool >TBD`:                     "placeholder TBD",
		`tool {{session}}`:              "placeholder {{session}}",
		`TBD`:                           "placeholder TBD",
		`# TBD`:                         "runs no program",
		``:                              "runs no program",
		`A=1`:                           "runs no program",
	} {
		faults := strings.Join(CheckCommand(command, workshop), "\n")
		if !strings.Contains(faults, want) {
			t.Errorf("%s: got %q, want %q", command, faults, want)
		}
	}
}

func TestWithoutAMachineOnlyTheTextIsChecked(t *testing.T) {
	t.Parallel()
	if faults := CheckCommand("nowhere | bash missing.sh", nil); len(faults) > 0 {
		t.Error(faults)
	}
	if faults := CheckCommand("nowhere --root R", nil); len(faults) != 1 {
		t.Error(faults)
	}
}

func FuzzCheckCommand(f *testing.F) {
	f.Add("cd a && (b | c) <x >y; f() { g; }; f")
	f.Add("tool --root R <session-id>")
	f.Fuzz(func(_ *testing.T, command string) {
		CheckCommand(command, workshop)
		CheckCommand(command, nil)
	})
}
