package scope_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/brickoven/brickoven/runner/scope"
)

// shells are the programs whose preludes are tried, as far as they are there.
func shells(t *testing.T) map[string]scope.Shell {
	t.Helper()
	found := map[string]scope.Shell{}
	for name, dialect := range map[string]scope.Shell{"bash": scope.Bash, "sh": scope.POSIX} {
		if path, err := exec.LookPath(name); err == nil {
			found[path] = dialect
		}
	}
	if len(found) == 0 {
		t.Skip("neither bash nor sh is installed")
	}
	return found
}

// runIn runs a command in the environment of s, as a step does.
func runIn(t fataler, s *scope.Scope, dir, shell string, req scope.Request, command string, args ...string) (stdout, stderr string) {
	if req.Spills == nil {
		req.Spills = scope.NewSpills(filepath.Join(dir, "it's spill"), false)
	}
	req.Base = append(req.Base, "PATH="+os.Getenv("PATH"))
	block, err := s.Environment(req)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(shell, append(args, "-c", block.Prelude+command)...)
	cmd.Env = block.Env
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		t.Fatalf("%s: %v: %s", command, err, errs.String())
	}
	if err := block.Cleanup(); err != nil {
		t.Fatal(err)
	}
	return out.String(), errs.String()
}

type fataler interface {
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

const idiom = `EV="${LOOP_EVIDENCE:-${RECIPE_VAR_loop_evidence:-}}"; printf '%s' "$EV"`

func TestASpilledValueReachesBuiltinsAndPipesByteForByte(t *testing.T) {
	t.Parallel()
	big := strings.Repeat("a'b\"c $(touch PWN) `id` \\ é\t*\n", 10_000) + "\n\n\n"
	for shell, dialect := range shells(t) {
		for _, locale := range []string{"C", "C.UTF-8"} {
			for _, command := range []string{
				`printf '%s' "$RECIPE_VAR_loop_evidence"`,
				`printf '%s' "$LOOP_EVIDENCE" | cat`,
				`# a comment first
printf '%s' "$LOOP_EVIDENCE"`,
				"\n" + idiom,
				idiom,
			} {
				s := scope.New()
				s.Set("loop_evidence", big)
				req := scope.Request{Shell: dialect, Mentions: []string{"LOOP_EVIDENCE", "RECIPE_VAR_loop_evidence"}, Base: []string{"LC_ALL=" + locale}}
				if got, _ := runIn(t, s, t.TempDir(), shell, req, command); got != big {
					t.Errorf("%s, %s, %q: %d bytes of %d", shell, locale, command, len(got), len(big))
				}
			}
		}
	}
}

func TestALargeMapIsReadThroughTheDualNameIdiom(t *testing.T) {
	t.Parallel()
	s := scope.New()
	s.Set("loop_evidence", map[string]any{"text": strings.Repeat("x", 150<<10)})
	want := `{"text":"` + strings.Repeat("x", 150<<10) + `"}`
	for shell, dialect := range shells(t) {
		req := scope.Request{Shell: dialect, Mentions: []string{"LOOP_EVIDENCE", "RECIPE_VAR_loop_evidence"}}
		if got, _ := runIn(t, s, t.TempDir(), shell, req, idiom); got != want {
			t.Errorf("%s: %d bytes of %d", shell, len(got), len(want))
		}
	}
}

func TestALoadedVariableIsNotExportedAndTheFileIsNamed(t *testing.T) {
	t.Parallel()
	for shell, dialect := range shells(t) {
		s := scope.New()
		s.Set("blob", strings.Repeat("x", 200_000))
		req := scope.Request{Shell: dialect, Mentions: []string{"BLOB"}, Base: []string{"BLOB=from outside", "RECIPE_VAR_blob=also"}}
		got, _ := runIn(t, s, t.TempDir(), shell, req, `echo "${#BLOB}"; env | grep -c '^BLOB=\|^RECIPE_VAR_blob='; wc -c <"$RECIPE_VAR_blob_FILE" | tr -d ' '`+"\n:")
		if got != "200000\n0\n200000\n" {
			t.Errorf("%s: %q", shell, got)
		}
	}
}

func TestAStepThatDoesNotUseALargeValueIsUnaffected(t *testing.T) {
	t.Parallel()
	s := scope.New()
	s.Set("blob", strings.Repeat("x", 200_000))
	for shell, dialect := range shells(t) {
		block, err := s.Environment(scope.Request{Shell: dialect, Spills: scope.NewSpills(filepath.Join(t.TempDir(), "s"), false)})
		if err != nil || block.Prelude != "" {
			t.Errorf("prelude %q, %v", block.Prelude, err)
		}
		if got, _ := runIn(t, s, t.TempDir(), shell, scope.Request{Shell: dialect}, "echo ok"); got != "ok\n" {
			t.Errorf("%s: %q", shell, got)
		}
	}
}

func TestThePreludeWorksUnderStrictOptionsAndKeepsLineNumbers(t *testing.T) {
	t.Parallel()
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("bash is not installed")
	}
	s := scope.New()
	s.Set("blob", strings.Repeat("x", 200_000))
	req := scope.Request{Mentions: []string{"BLOB"}}
	got, _ := runIn(t, s, t.TempDir(), bash, req, "echo $LINENO\necho $LINENO ${#BLOB} \"${IFS-unset}\" \"${LC_ALL-unset}\"", "-euo", "pipefail")
	if got != "0\n1 200000  \t\n unset\n" && got != "1\n2 200000  \t\n unset\n" {
		t.Errorf("got %q", got)
	}
}

func TestEveryValueSurvivesTheWayThroughAFile(t *testing.T) {
	t.Parallel()
	found := shells(t)
	dir := t.TempDir()
	count := 0
	rapid.Check(t, func(t *rapid.T) {
		text := strings.ReplaceAll(rapid.String().Draw(t, "text"), "\x00", "") + rapid.SampledFrom([]string{"", "\n", "\n\n", " ", "x", "\\"}).Draw(t, "end")
		s := scope.New()
		s.Set("v", text)
		count++
		for shell, dialect := range found {
			store := scope.NewSpills(filepath.Join(dir, fmt.Sprint("spill ", count, filepath.Base(shell))), false)
			// A file is forced by a command that names it; the prelude is the
			// one of a value too large to be exported.
			path := spillPath(t, s, store)
			command := scope.PreludeFor(dialect, path, []string{"RECIPE_VAR_v", "V"}) + `printf '%s|%s' "$RECIPE_VAR_v" "$V"`
			out, err := exec.Command(shell, "-c", command).Output()
			if err != nil || string(out) != text+"|"+text {
				t.Fatalf("%s: %q became %q, %v", shell, text, out, err)
			}
			if err := store.Close(); err != nil {
				t.Fatal(err)
			}
		}
	})
}

func spillPath(t *rapid.T, s *scope.Scope, store *scope.Spills) string {
	block, err := s.Environment(scope.Request{Spills: store, Mentions: []string{"RECIPE_VAR_v_FILE"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range block.Env {
		if path, ok := strings.CutPrefix(entry, "RECIPE_VAR_v_FILE="); ok {
			return path
		}
	}
	t.Fatal("no file was named")
	return ""
}
