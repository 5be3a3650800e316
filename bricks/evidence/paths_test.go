package evidence_test

import (
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/brickoven/brickoven/bricks/evidence"
	"github.com/brickoven/brickoven/recipes/value"
)

// filesWorld serves the given files below the working directory.
func filesWorld(t *testing.T, files map[string]string) evidence.World {
	t.Helper()
	tree := fstest.MapFS{}
	for name, text := range files {
		tree[name] = &fstest.MapFile{Data: []byte(text)}
	}
	w := nowhere()
	w.Files = func(dir string) fs.FS {
		if dir == "." {
			return tree
		}
		sub, err := fs.Sub(tree, strings.TrimPrefix(dir, "/"))
		if err != nil {
			t.Error(err)
		}
		return sub
	}
	return w
}

func names(e evidence.Evidence) []string {
	list := []string{}
	for name := range e.WatchManifest {
		list = append(list, name)
	}
	return list
}

func TestWatchPathsAreGlobs(t *testing.T) {
	t.Parallel()
	files := map[string]string{
		"out/a.txt": "1", "out/deep/er/b.txt": "2", "out/c.md": "3", "src/d.txt": "4", ".git/x.txt": "5", "out/.git/y.txt": "6", "top.txt": "7",
	}
	tests := []struct{ patterns, want string }{
		{"out/*.txt", "out/a.txt"},
		{"out/**/*.txt", "out/a.txt out/deep/er/b.txt"},
		{"out", "out/a.txt out/c.md out/deep/er/b.txt"},
		{"./out/", "out/a.txt out/c.md out/deep/er/b.txt"},
		{"top.txt", "top.txt"},
		{"**/*.txt", "out/a.txt out/deep/er/b.txt src/d.txt top.txt"},
		{".", "out/a.txt out/c.md out/deep/er/b.txt src/d.txt top.txt"},
		{"out/*.md\nsrc/*", "out/c.md src/d.txt"},
		{`["out/*.md", "top.*"]`, "out/c.md top.txt"},
		{"*/deep", "out/deep/er/b.txt"},
		{"missing/**", ""},
		{"/out/*.md", "/out/c.md"},
	}
	for _, tt := range tests {
		t.Run(tt.patterns, func(t *testing.T) {
			t.Parallel()
			e := evidence.Collect(evidence.Inputs{WatchPaths: tt.patterns}, filesWorld(t, files))
			want := map[string]bool{}
			for _, name := range strings.Fields(tt.want) {
				want[name] = true
			}
			got := map[string]bool{}
			for _, name := range names(e) {
				got[name] = true
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("-want +got\n%s%q", diff, e.Notices)
			}
		})
	}
}

func TestWatchManifestShowsChangedAddedAndRemovedFiles(t *testing.T) {
	t.Parallel()
	before := map[string]string{"out/same": "1", "out/changed": "1", "out/removed": "1"}
	after := map[string]string{"out/same": "1", "out/changed": "2", "out/added": "1"}
	in := evidence.Inputs{WatchPaths: "out/**"}

	first := evidence.Collect(in, filesWorld(t, before))
	if bool(first.PathsObserved) || first.PathsChanged != 0 {
		t.Errorf("without an earlier manifest: observed %v, changed %d, want neither", first.PathsObserved, first.PathsChanged)
	}
	in.WatchManifest = value.JSON(first.WatchManifest)
	same := evidence.Collect(in, filesWorld(t, before))
	if !bool(same.PathsObserved) || same.PathsChanged != 0 || same.PathsStat != "" {
		t.Errorf("nothing changed: %v %d %q", same.PathsObserved, same.PathsChanged, same.PathsStat)
	}
	moved := evidence.Collect(in, filesWorld(t, after))
	if want := "1 changed, 1 added, 1 removed: ~out/changed +out/added -out/removed"; moved.PathsChanged != 3 || moved.PathsStat != want {
		t.Errorf("got %d %q, want 3 %q", moved.PathsChanged, moved.PathsStat, want)
	}
}

func TestBadWatchInputsAreUnobservedWithAWarning(t *testing.T) {
	t.Parallel()
	for _, in := range []evidence.Inputs{
		{WatchPaths: "out/**", WatchManifest: "garbage"},
		{WatchPaths: "out/**", WatchManifest: "[]"},
		{WatchPaths: "out/[", WatchManifest: ""},
	} {
		e := evidence.Collect(in, filesWorld(t, map[string]string{"out/a": "1"}))
		if bool(e.PathsObserved) || !warned(e) {
			t.Errorf("%+v: observed %v, notices %q", in, e.PathsObserved, e.Notices)
		}
	}
	if e := evidence.Collect(evidence.Inputs{WatchManifest: `{"a":"1"}`}, filesWorld(t, nil)); e.PathsObserved {
		t.Error("a manifest without watched paths is no observation")
	}
}
