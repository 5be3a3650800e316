package evidence

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/brickoven/brickoven/recipes/value"
)

// measurePaths compares the watched files with the manifest of an earlier
// round, for loops whose work is not under git.
func (e *Evidence) measurePaths(in Inputs, world World) {
	for _, pattern := range items(in.WatchPaths) {
		if pattern = strings.TrimSpace(pattern); pattern == "" {
			continue
		}
		if err := watch(world, pattern, e.WatchManifest); err != nil {
			e.notice(fmt.Sprintf("WARNING: loop_watch_paths %q%s", pattern, reason(err)))
		}
	}
	if strings.TrimSpace(in.WatchPaths) == "" || strings.TrimSpace(in.WatchManifest) == "" {
		return
	}
	earlier, err := readManifest(in.WatchManifest)
	if err != nil {
		e.notice("WARNING: loop_watch_manifest is not a watch_manifest, so the paths are unobserved" + reason(err))
		return
	}
	e.PathsObserved = true
	added, changed, removed := compareManifests(e.WatchManifest, earlier)
	e.PathsChanged = len(added) + len(changed) + len(removed)
	e.PathsStat = pathsStat(added, changed, removed)
}

func readManifest(text string) (map[string]string, error) {
	v, err := value.Parse(text)
	if err != nil {
		return nil, err
	}
	object, ok := v.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("it is a %s", value.Kind(v))
	}
	manifest := make(map[string]string, len(object))
	for name, hash := range object {
		manifest[name] = value.Text(hash)
	}
	return manifest, nil
}

func compareManifests(now, earlier map[string]string) (added, changed, removed []string) {
	for _, name := range slices.Sorted(maps.Keys(now)) {
		if hash, known := earlier[name]; !known {
			added = append(added, name)
		} else if hash != now[name] {
			changed = append(changed, name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(earlier)) {
		if _, there := now[name]; !there {
			removed = append(removed, name)
		}
	}
	return added, changed, removed
}

// pathsStat counts the files and names the first few.
func pathsStat(added, changed, removed []string) string {
	const named = 10
	var names []string
	for _, group := range []struct {
		sign  string
		paths []string
	}{{"~", changed}, {"+", added}, {"-", removed}} {
		for _, name := range group.paths {
			names = append(names, group.sign+name)
		}
	}
	if len(names) == 0 {
		return ""
	}
	text := fmt.Sprintf("%d changed, %d added, %d removed: ", len(changed), len(added), len(removed))
	if len(names) > named {
		return text + strings.Join(names[:named], " ") + " …"
	}
	return text + strings.Join(names, " ")
}

// watch puts the files that match pattern into the manifest. Folders named .git
// are passed over, and so is what a symbolic link leads to; the link itself
// counts with its target.
func watch(world World, pattern string, manifest map[string]string) error {
	root, glob := splitGlob(pattern)
	if err := checkGlob(glob); err != nil {
		return err
	}
	files := world.Files(root)
	if files == nil {
		return errors.New("the folder cannot be read")
	}
	err := fs.WalkDir(files, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if entry.Name() == ".git" || name != "." && !leadsTo(glob, strings.Split(name, "/")) {
				return fs.SkipDir
			}
			return nil
		}
		if !matchGlob(glob, strings.Split(name, "/")) {
			return nil
		}
		hash, err := hashFile(files, name, entry)
		if err != nil {
			return err
		}
		manifest[path.Join(root, name)] = hash
		return nil
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil // a folder that is not there holds no file
	}
	return err
}

// hashFile is enough of the SHA-256 of a file's content to tell two versions of
// it apart. What is neither a file nor a link counts by its kind.
func hashFile(files fs.FS, name string, entry fs.DirEntry) (string, error) {
	const digits = 16
	sum := sha256.New()
	switch {
	case entry.Type()&fs.ModeSymlink != 0:
		target, err := fs.ReadLink(files, name)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(sum, "link %s", target)
	case entry.Type().IsRegular():
		f, err := files.Open(name)
		if err != nil {
			return "", err
		}
		_, err = io.Copy(sum, f)
		if err := errors.Join(err, f.Close()); err != nil {
			return "", err
		}
	default:
		fmt.Fprintf(sum, "kind %s", entry.Type())
	}
	return hex.EncodeToString(sum.Sum(nil))[:digits], nil
}
