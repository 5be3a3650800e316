package state

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
)

func environment(pairs map[string]string) func(string) string {
	return func(name string) string { return pairs[name] }
}

func project(t *testing.T, name string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	dir = filepath.Join(dir, name)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestResolveTakesTheFirstThatIsSet(t *testing.T) {
	t.Parallel()
	dir := project(t, "app")
	id, err := ProjectID(dir)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{"BRICKOVEN_STATE_DIR": "/env/state", "XDG_STATE_HOME": "/xdg", "HOME": "/home/me"}
	for _, test := range []struct {
		name, flag string
		unset      []string
		change     map[string]string
		want       string
	}{
		{"the flag wins and names the folder itself", "/flag", nil, nil, "/flag"},
		{"a relative flag starts at the working directory", "st", nil, nil, filepath.Join(dir, "st")},
		{"the variable names the folder itself", "", nil, nil, "/env/state"},
		{"a relative variable too", "", nil, map[string]string{"BRICKOVEN_STATE_DIR": "x"}, filepath.Join(dir, "x")},
		{"XDG_STATE_HOME", "", []string{"BRICKOVEN_STATE_DIR"}, nil, "/xdg/brickoven/" + id},
		{"a relative XDG_STATE_HOME does not count", "", []string{"BRICKOVEN_STATE_DIR"}, map[string]string{"XDG_STATE_HOME": "x"}, "/home/me/.local/state/brickoven/" + id},
		{"HOME", "", []string{"BRICKOVEN_STATE_DIR", "XDG_STATE_HOME"}, nil, "/home/me/.local/state/brickoven/" + id},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			env := map[string]string{}
			for name, text := range all {
				env[name] = text
			}
			for _, name := range test.unset {
				delete(env, name)
			}
			for name, text := range test.change {
				env[name] = text
			}
			got, err := Resolve(Options{Flag: test.flag, Getenv: environment(env), Dir: dir})
			if err != nil || got != test.want {
				t.Errorf("got %q, %v; want %q", got, err, test.want)
			}
		})
	}
}

func TestResolveWithoutHomeSaysWhatToSet(t *testing.T) {
	t.Parallel()
	_, err := Resolve(Options{Getenv: environment(nil), Dir: project(t, "app")})
	if !errors.Is(err, ErrNoHome) {
		t.Errorf("got %v", err)
	}
	_, err = Resolve(Options{Getenv: environment(map[string]string{"HOME": "/h"}), Dir: "/does/not/exist"})
	if !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a vanished folder: got %v", err)
	}
}

func TestProjectIDIsThatOfTheRepositoryWhateverPathLeadsThere(t *testing.T) {
	t.Parallel()
	dir := project(t, "my app (2)")
	deep := filepath.Join(dir, "a", "b")
	if err := os.MkdirAll(deep, 0o755); err != nil {
		t.Fatal(err)
	}
	outside, err := ProjectID(deep)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, ".git"), []byte("gitdir: elsewhere\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(deep, link); err != nil {
		t.Skip("no symbolic links here")
	}
	want, err := ProjectID(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{deep, link} {
		if got, err := ProjectID(path); got != want || err != nil {
			t.Errorf("%s: got %q, %v; want %q", path, got, err, want)
		}
	}
	if outside == want {
		t.Error("a folder outside of a repository is a project of its own")
	}
	if !regexp.MustCompile(`^myapp2-[0-9a-f]{12}$`).MatchString(want) {
		t.Errorf("the id %q does not begin with a readable name", want)
	}
}

func TestTwoProjectsOfOneNameDoNotMeet(t *testing.T) {
	t.Parallel()
	one, err1 := ProjectID(project(t, "app"))
	two, err2 := ProjectID(project(t, "app"))
	if err1 != nil || err2 != nil || one == two {
		t.Errorf("got %q and %q, %v, %v", one, two, err1, err2)
	}
}

func TestReadableNeverMakesAHiddenOrEmptyName(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{"..": "project", "日本": "project", ".config": "config", "-x": "x", "/": "project"} {
		if got := readable(name); got != want {
			t.Errorf("readable(%q) = %q, want %q", name, got, want)
		}
	}
}

func TestPrepareMakesPrivateFolders(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "brickoven", "p")
	places := Locations{Dir: dir}
	for _, folder := range []string{places.Runs(), places.Sessions(), places.Ledgers()} {
		if err := Prepare(folder); err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(folder)
		if err != nil || info.Mode().Perm() != FolderMode {
			t.Errorf("%s: %v, %v", folder, info.Mode(), err)
		}
	}
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, FileMode); err != nil {
		t.Fatal(err)
	}
	if err := Prepare(file); err == nil {
		t.Error("a file in the way must be an error")
	}
}

func TestClaimKeepsTheStateOutOfGit(t *testing.T) {
	t.Parallel()
	top := project(t, "app")
	git := func(args ...string) string {
		out, err := exec.Command("git", append([]string{"-C", top}, args...)...).CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
		return string(out)
	}
	git("init", "-q")
	write := func(text string, path ...string) {
		t.Helper()
		file := filepath.Join(append([]string{top}, path...)...)
		if err := os.MkdirAll(filepath.Dir(file), FolderMode); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), FileMode); err != nil {
			t.Fatal(err)
		}
	}
	claim := func(dir string) Locations {
		t.Helper()
		l := Locations{Dir: dir}
		for range 2 {
			if err := l.Claim(); err != nil {
				t.Fatal(err)
			}
		}
		return l
	}

	inside := claim(filepath.Join(top, ".brickoven"))
	for _, room := range []string{inside.Debt(), inside.Ledgers(), inside.Runs(), inside.Sessions(), inside.Trees()} {
		write("x", ".brickoven", filepath.Base(room), "file")
	}
	if got := git("status", "--short", "--untracked-files=all"); got != "" {
		t.Errorf("git sees\n%s", got)
	}
	write("name: a", ".brickoven", "recipes", "a.yaml")
	write("x", "deeper", "runs", "file")
	if got, want := git("status", "--short", "--untracked-files=all"), "?? .brickoven/recipes/a.yaml\n?? deeper/runs/file\n"; got != want {
		t.Errorf("git sees\n%s, want\n%s", got, want)
	}

	claim(top)
	if _, err := os.Lstat(filepath.Join(top, ".gitignore")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the top of a repository was given a .gitignore: %v", err)
	}
	write("mine", "own", ".gitignore")
	claim(filepath.Join(top, "own"))
	if text, err := os.ReadFile(filepath.Join(top, "own", ".gitignore")); string(text) != "mine" || err != nil {
		t.Errorf("a .gitignore that was there became %q, %v", text, err)
	}
	if err := (Locations{Dir: filepath.Join(top, "own", ".gitignore")}).Claim(); err == nil {
		t.Error("a file in the way must be an error")
	}
}
