package recipes

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const tiny = "name: tiny\nsteps:\n  - {id: a, command: echo}\n"

// everywhere is a search that uses every place below dir.
func everywhere(dir string) Search {
	return Search{
		Explicit:         []string{filepath.Join(dir, "explicit")},
		WorkDir:          filepath.Join(dir, "repo", "sub"),
		RepoRoot:         filepath.Join(dir, "repo"),
		EnvDirs:          []string{filepath.Join(dir, "env")},
		ConfigDir:        filepath.Join(dir, "config"),
		Home:             filepath.Join(dir, "home"),
		AmplihackHome:    filepath.Join(dir, "amplihack"),
		PackageRecipeDir: filepath.Join(dir, "package"),
		Builtin:          func(name string) ([]byte, bool) { return []byte(tiny), name == "tiny" },
		BuiltinNames:     func() []string { return []string{"tiny"} },
	}
}

// order is where names are looked for, first to last (DESIGN section 7).
var order = []string{
	"explicit",
	"caller",
	"repo/sub", "repo/sub/recipes", "repo/sub/.brickoven/recipes",
	"repo", "repo/recipes", "repo/.brickoven/recipes",
	"env",
	"config/recipes",
	"builtin:",
	"repo/sub/amplifier-bundle/recipes", "repo/amplifier-bundle/recipes",
	"package",
	"amplihack/amplifier-bundle/recipes",
	"home/.amplihack/amplifier-bundle/recipes",
	"home/.amplihack/.claude/recipes",
	"repo/sub/.claude/recipes",
}

func TestNamesResolveInOrder(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, place := range order {
		if place != "builtin:" {
			write(t, filepath.Join(dir, place, "tiny.yml"), tiny)
		}
	}
	resolver := NewResolver(everywhere(dir))
	for _, place := range order {
		source, err := resolver.Find("tiny", Source{Dir: filepath.Join(dir, "caller")})
		want := filepath.Join(dir, place, "tiny.yml")
		if place == "builtin:" {
			resolver.search.Builtin = func(string) ([]byte, bool) { return nil, false }
			want = "builtin:tiny"
		}
		if err != nil || source.Path != want {
			t.Fatalf("found %s, %v; want %s", source.Path, err, want)
		}
		if place != "builtin:" {
			if err := os.Remove(want); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func TestNotFoundListsEveryFolderTried(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, filepath.Join(dir, "env", "review-round.yaml"), tiny)
	_, err := NewResolver(everywhere(dir)).Find("review-ruond", Source{Dir: filepath.Join(dir, "caller")})
	missing, ok := errors.AsType[*NotFoundError](err)
	if !ok {
		t.Fatalf("err = %v", err)
	}
	var want []string
	for _, place := range order {
		if place != "builtin:" {
			place = filepath.Join(dir, place)
		}
		want = append(want, place)
		if !strings.Contains(err.Error(), "\n  - "+strings.TrimSuffix(place, ":")) {
			t.Errorf("%s is not in the text", place)
		}
	}
	if diff := cmp.Diff(want, missing.Tried); diff != "" {
		t.Error(diff)
	}
	if missing.Nearest != "review-round" {
		t.Errorf("nearest is %q", missing.Nearest)
	}
}

func TestYamlComesBeforeYmlAndFoldersAreNoRecipes(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, filepath.Join(dir, "a.yml"), tiny)
	resolver := NewResolver(Search{WorkDir: dir})
	if err := os.Mkdir(filepath.Join(dir, "a.yaml"), 0o755); err != nil {
		t.Fatal(err)
	}
	if source, err := resolver.Find("a", Source{}); err != nil || filepath.Base(source.Path) != "a.yml" {
		t.Errorf("found %s, %v", source.Path, err)
	}
	write(t, filepath.Join(dir, "b.yaml"), tiny)
	write(t, filepath.Join(dir, "b.yml"), tiny)
	if source, err := resolver.Find("b", Source{}); err != nil || filepath.Base(source.Path) != "b.yaml" {
		t.Errorf("found %s, %v", source.Path, err)
	}
}

func TestNamesThatArePathsAreRefused(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, filepath.Join(dir, "sub", "a.yaml"), tiny)
	write(t, filepath.Join(dir, "b.yaml"), tiny)
	resolver := NewResolver(Search{WorkDir: dir})
	for _, name := range []string{"sub/a", `sub\a`, "../b", "..", "a..b", "", "  ", "sub/../b", "./../b", "./sub/../../b", "{{which}}", "./{{which}}.yaml", "a\x00b"} {
		_, err := resolver.Find(name, Source{Dir: filepath.Join(dir, "sub")})
		if _, ok := errors.AsType[*RefusedError](err); !ok {
			t.Errorf("Find(%q): %v", name, err)
		}
	}
	if _, err := resolver.Find("./a.yaml", Source{}); err == nil {
		t.Error("a built-in recipe has no folder, yet a relative path was followed")
	}
}

func TestPathsStartFromTheFileThatWroteThem(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, filepath.Join(dir, "deep", "sub", "a.yaml"), tiny)
	from := Source{Path: "shown/root.yaml", Dir: filepath.Join(dir, "deep")}
	resolver := NewResolver(Search{WorkDir: dir})
	for _, name := range []string{"./sub/a.yaml", "./sub/a", filepath.Join(dir, "deep", "sub", "a.yaml")} {
		source, err := resolver.Find(name, from)
		if err != nil || source.file() != filepath.Join(dir, "deep", "sub", "a.yaml") {
			t.Errorf("Find(%q) = %+v, %v", name, source, err)
		}
	}
	_, err := resolver.Find("./a.yaml", from)
	if missing, ok := errors.AsType[*NotFoundError](err); !ok || !slices.Equal(missing.Tried, []string{filepath.Join(dir, "deep", "a.yaml")}) {
		t.Errorf("err = %v", err)
	}
}

func TestLinksMayNotLeadOutOfTheirFolder(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, filepath.Join(dir, "secret.yaml"), tiny)
	write(t, filepath.Join(dir, "recipes", "real.yaml"), tiny)
	link(t, filepath.Join(dir, "secret.yaml"), filepath.Join(dir, "recipes", "out.yaml"))
	link(t, "real.yaml", filepath.Join(dir, "recipes", "in.yaml"))
	resolver := NewResolver(Search{Explicit: []string{filepath.Join(dir, "recipes")}})
	from := Source{Path: "x.yaml", Dir: filepath.Join(dir, "recipes")}
	for _, name := range []string{"out", "./out.yaml"} {
		_, err := resolver.Find(name, from)
		if _, ok := errors.AsType[*RefusedError](err); !ok {
			t.Errorf("Find(%q): %v", name, err)
		}
	}
	for _, name := range []string{"in", "./in.yaml"} {
		if _, err := resolver.Find(name, from); err != nil {
			t.Errorf("Find(%q): %v", name, err)
		}
	}
	list, err := resolver.List()
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range list {
		if refused := e.Name == "out"; refused != (e.Err != nil) {
			t.Errorf("%s: %v", e.Name, e.Err)
		}
	}
}

func link(t *testing.T, to, at string) {
	t.Helper()
	if err := os.Symlink(to, at); err != nil {
		t.Skip("no symbolic links here:", err)
	}
}

func TestACommandLineNamesFilesAsTheyAre(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, filepath.Join(dir, "sub", "a.yaml"), tiny)
	write(t, filepath.Join(dir, "work", "b.yaml"), tiny)
	write(t, filepath.Join(dir, "sub", "notes.txt"), "x")
	write(t, filepath.Join(dir, "sub", "folder.yaml", "inside.yaml"), tiny)
	resolver := NewResolver(Search{WorkDir: filepath.Join(dir, "work")})
	for arg, want := range map[string]string{
		filepath.Join(dir, "sub", "a.yaml"): "sub/a.yaml",
		filepath.Join(dir, "sub", "a"):      "sub/a.yaml",
		dir + "/work/../sub/a.yaml":         "sub/a.yaml",
		"b":                                 "work/b.yaml",
		"b.yaml":                            "work/b.yaml",
	} {
		source, err := resolver.FindRoot(arg)
		if err != nil || source.file() != filepath.Join(dir, want) {
			t.Errorf("FindRoot(%q) = %+v, %v", arg, source, err)
		}
	}
	if _, err := resolver.FindRoot(filepath.Join(dir, "sub", "none.yaml")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("err = %v", err)
	}
	for arg, want := range map[string]string{"notes.txt": "it is not a .yaml or .yml file", "folder.yaml": "it is a folder"} {
		_, err := resolver.FindRoot(filepath.Join(dir, "sub", arg))
		if refused, is := errors.AsType[*RefusedError](err); !is || !strings.Contains(refused.Error(), want) {
			t.Errorf("%s: %v", arg, err)
		}
	}
}

func TestListAndFindAgree(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, filepath.Join(dir, "explicit", "one.yaml"), "name: one\ndescription: |\n  first line\n  second\nversion: 1.10\nsteps: [{id: a, command: echo}]\n")
	write(t, filepath.Join(dir, "env", "one.yml"), "name: other\nsteps: [{id: a, command: echo}]\n")
	write(t, filepath.Join(dir, "env", "tiny.yaml"), "\"name\": hidden builtin\nextends: one\n")
	write(t, filepath.Join(dir, "repo", "docker-compose.yaml"), "services: {}\n")
	write(t, filepath.Join(dir, "env", "flow.yaml"), `{"name": "in flow", "version": "2", "steps": [{"id": "a", "command": "echo"}]}`)
	write(t, filepath.Join(dir, "env", "broken.yaml"), "name: \"x\nsteps:\n  - id: a\n")
	resolver := NewResolver(everywhere(dir))
	list, err := resolver.List()
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range list {
		got = append(got, strings.ReplaceAll(strings.Join([]string{e.Name, e.Title, e.Description, e.Version, e.Path, e.Shadowed}, "|"), dir, ""))
		source, err := resolver.Find(e.Name, Source{})
		want := e.Path
		if e.Shadowed != "" {
			want = e.Shadowed
		}
		if err != nil || source.Path != want {
			t.Errorf("list shows %s at %s, run finds %s, %v", e.Name, want, source.Path, err)
		}
		if broken := e.Name == "broken"; broken != (e.Err != nil) {
			t.Errorf("%s: %v", e.Name, e.Err)
		}
	}
	want := []string{
		"one|one|first line\nsecond\n|1.10|/explicit/one.yaml|",
		"broken||||/env/broken.yaml|",
		"flow|in flow||2|/env/flow.yaml|",
		"tiny|hidden builtin|||/env/tiny.yaml|",
		"one|other|||/env/one.yml|/explicit/one.yaml",
		"tiny|tiny|||builtin:tiny|/env/tiny.yaml",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestBuiltinsAreReadAndResolveEachOther(t *testing.T) {
	t.Parallel()
	texts := map[string]string{
		"outer": "name: outer\nsteps:\n  - {id: a, recipe: inner}\n",
		"inner": tiny,
	}
	resolver := NewResolver(Search{WorkDir: t.TempDir(), Builtin: func(name string) ([]byte, bool) {
		text, ok := texts[name]
		return []byte(text), ok
	}})
	tree, err := resolver.Resolve("outer", LoadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if got := tree.Root.Steps[0].Child.Source.Path; got != "builtin:inner" {
		t.Errorf("the child is %s", got)
	}
}
