package shell_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/brickoven/brickoven/recipes/template/shell"
	"github.com/brickoven/brickoven/recipes/value"
)

// contexts prints the value in places of every kind, each after a \x1e and
// before a \x1f, so that one shell proves them all.
const contexts = `p() { printf '\036%s\037' "$1"; }
p {{x}}
p "{{x}}"
p '{{x}}'
p $'{{x}}'
p $"{{x}}"
p "$(printf '%s.' {{x}})"
p "$(printf '%s.' "{{x}}")"
p "` + "`printf '%s.' '{{x}}'`" + `"
p "` + "`printf '%s.' \"{{x}}\"`" + `"
p ${unset1:-{{x}}}
p "${unset1:-{{x}}}"
v=X; p "${v/X/{{x}}}"
v={{x}}Z; p "${v%Z}"
v="Z{{x}}"; p "${v#Z}"
a=({{x}}); p "${a[0]}"
declare -A m=([k{{x}}]={{x}}); p "${m[k{{x}}]}"
eval 'p {{x}}'
eval "p '{{x}}'"
eval "eval 'p \"{{x}}\"'"
bash -c 'printf "\036%s\037" {{x}}'
sh -c "printf '\036%s\037' \"{{x}}\""
bash -c 'sh -c "printf \"\036%s\037\" {{x}}"'
for i in {{x}}; do p "$i"; done
case {{x}} in {{x}}) p {{x}};; esac
[[ {{x}} == {{x}} && a{{x}} =~ ^a{{x}}$ ]] && p {{x}}
p "$(cat <<EOF
{{x}}.
EOF
)"
p "$(cat <<'EOF'
{{x}}.
EOF
)"
p "$(cat <<-'E F'
	{{x}}.
	E F
)"
IFS=a/; set -f; p {{x}} # {{x}}
trap 'p {{x}}' EXIT
`

const posixContexts = `p() { printf '\036%s\037' "$1"; }
p {{x}}
p "{{x}}"
p '{{x}}'
p "$(printf '%s.' {{x}})"
p "` + "`printf '%s.' '{{x}}'`" + `"
p "${unset1:-{{x}}}"
v={{x}}Z; p "${v%Z}"
v="Z{{x}}"; p "${v#Z}"
eval 'p {{x}}'
eval "p '{{x}}'"
sh -c "printf '\036%s\037' \"{{x}}\""
case {{x}} in {{x}}) p {{x}};; esac
p "$(cat <<EOF
{{x}}.
EOF
)"
p "$(cat <<'EOF'
{{x}}.
EOF
)"
trap 'p {{x}}' EXIT
`

func TestAnyValueComesOutByteForByteAndRunsNothing(t *testing.T) {
	t.Parallel()
	for program, script := range map[string]string{"bash": contexts, "sh": posixContexts} {
		command, err := shell.Compile(script, dialectOf(program), false)
		if err != nil {
			t.Fatal(err)
		}
		want := strings.Count(script, "p {{") + strings.Count(script, "p \"") + strings.Count(script, "p '") +
			strings.Count(script, "p $") + strings.Count(script, "-c '") + strings.Count(script, `-c "`)
		t.Run(program, func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(rt *rapid.T) {
				x := anyValue().Draw(rt, "x")
				b, err := command.Bind(variables(x))
				if err != nil {
					rt.Fatal(err)
				}
				out, ran := run(t, program, b)
				if ran {
					rt.Fatalf("%q ran", x)
				}
				pieces := strings.Split(out, "\x1f")
				if len(pieces)-1 < want/2 || pieces[len(pieces)-1] != "" {
					rt.Fatalf("%q: %d pieces of about %d: %q", x, len(pieces), want, out)
				}
				for i, piece := range pieces[:len(pieces)-1] {
					if got := strings.TrimPrefix(piece, "\x1e"); got != x && got != x+"." {
						rt.Fatalf("piece %d: %q came out as %q", i, x, got)
					}
				}
			})
		})
	}
}

// anyValue draws texts that are likely to hold what a shell finds special,
// without NUL and without the two separators.
func anyValue() *rapid.Generator[string] {
	special := rapid.SampledFrom([]string{
		"$(touch PWN)", "`touch PWN`", "; touch PWN;", "\ntouch PWN\n", "'", `"`, `\`, "$", "{", "}", "(", ")", "[", "]",
		"*", "?", "~", "!", "#", "&", "|", "<", ">", " ", "\t", "\n", "\r", "EOF", "\nEOF\n", "E F", "-", "=", "%", "^", "@",
		"${RECIPE_VAR_x}", "{{x}}", "a[$(touch PWN)]", "\x01", "\x7f", "é", "🙂", "\U00100001",
	})
	piece := rapid.OneOf(special, rapid.StringN(0, 8, -1))
	return rapid.Custom(func(t *rapid.T) string {
		text := strings.Join(rapid.SliceOfN(piece, 0, 12).Draw(t, "pieces"), "")
		clean, _ := value.Clean(text)
		return strings.NewReplacer("\x1e", "", "\x1f", "").Replace(clean)
	})
}

// FuzzCompile looks for commands that are accepted although a marker is lost,
// or whose script holds the value.
func FuzzCompile(f *testing.F) {
	for _, file := range []string{"quoting.json", "contexts.json", "places.json"} {
		for _, r := range rows(f, file) {
			f.Add(r.Command)
		}
	}
	f.Add("printf '' {{0}}&()00") // a function without a name, to the parser
	f.Add("echo ${v/} ${v//} {{x}}")
	const x = "\u2603'\"`touch PWN`$(touch PWN)\u2603"
	f.Fuzz(func(t *testing.T, source string) {
		for _, dialect := range []shell.Dialect{shell.Bash, shell.POSIX} {
			c, err := shell.Compile(source, dialect, false)
			if err != nil {
				continue
			}
			b, err := c.Bind(variables(x))
			if err != nil {
				continue
			}
			if !strings.Contains(source, "\u2603") && strings.Contains(b.Script, "\u2603") {
				t.Fatalf("%q: the value is in the script %q", source, b.Script)
			}
			for name := range b.Vars {
				if !strings.Contains(b.Script, name) {
					t.Fatalf("%q: %s is not used by %q", source, name, b.Script)
				}
			}
			if strings.Contains(source, "#") {
				continue // the parser sees a comment in "a"#b, where bash sees none
			}
			if again, err := shell.Compile(strings.ReplaceAll(b.Script, "{{", `\{{`), dialect, false); err != nil && len(c.Names()) > 0 {
				t.Fatalf("%q became %q, which does not parse: %v", source, b.Script, err)
			} else if again == nil && err == nil {
				t.Fatal("no command and no error")
			}
		}
	})
}
