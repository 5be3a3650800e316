package recipes

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// NotFoundError says that no recipe of a name, or no file at a path, exists.
type NotFoundError struct {
	Name string
	// Tried lists every folder, or the file, that was looked at, in order.
	Tried []string
	// Nearest is a recipe with a similar name; empty when there is none.
	Nearest string
}

// Error lists everything that was tried.
func (e *NotFoundError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "Recipe '%s' not found", e.Name)
	if e.Nearest != "" {
		fmt.Fprintf(&b, "; did you mean %s?", e.Nearest)
	}
	if len(e.Tried) > 0 {
		b.WriteString("\nlooked in:")
		for _, dir := range e.Tried {
			b.WriteString("\n  - " + strings.TrimSuffix(dir, ":"))
		}
	}
	return b.String()
}

// Is makes the error one of [fs.ErrNotExist].
func (e *NotFoundError) Is(target error) bool { return target == fs.ErrNotExist }

// RefusedError says that a name or a path is not followed.
type RefusedError struct {
	Name, Reason string
}

func (e *RefusedError) Error() string {
	return fmt.Sprintf("the recipe name %s is refused: %s", quoteShort(e.Name), e.Reason)
}

// Resolver finds recipes. It holds no state beside where to look and is safe
// for concurrent use.
type Resolver struct{ search Search }

// NewResolver returns a resolver that looks where search says.
func NewResolver(search Search) *Resolver { return &Resolver{search} }

// Find returns the recipe that a step of the recipe from means by name: a bare
// name, or a path that starts with ./ (relative to the folder of from) or /.
// The text of the result is not read yet. The error is a [*NotFoundError], a
// [*RefusedError], or that of the file system.
func (r *Resolver) Find(name string, from Source) (Source, error) {
	if strings.HasPrefix(name, "./") || filepath.IsAbs(name) {
		return findPath(name, from)
	}
	if err := checkRecipeName(name); err != nil {
		return Source{}, err
	}
	return r.findName(name, from.Dir)
}

// FindRoot is Find for the argument of a command line, where any path to a
// YAML file is meant as one, relative to the process's own folder.
func (r *Resolver) FindRoot(arg string) (Source, error) {
	ext := filepath.Ext(arg)
	if ext != ".yaml" && ext != ".yml" && !strings.ContainsAny(arg, `/\`) {
		return r.Find(arg, Source{})
	}
	dir, err := filepath.Abs(filepath.Dir(arg))
	if err != nil {
		return Source{}, fmt.Errorf("find the recipe: %w", err)
	}
	for _, path := range withExtensions(arg) {
		if isFile(path) {
			return Source{Path: path, Dir: dir}, nil
		}
	}
	if info, err := os.Stat(arg); err == nil {
		reason := "it is not a .yaml or .yml file"
		if info.IsDir() {
			reason = "it is a folder"
		}
		return Source{}, &RefusedError{arg, reason}
	}
	if !strings.ContainsAny(arg, `/\`) {
		return r.Find(strings.TrimSuffix(arg, ext), Source{})
	}
	return Source{}, &NotFoundError{Name: arg, Tried: []string{filepath.Join(dir, filepath.Base(arg))}}
}

func checkRecipeName(name string) error {
	switch {
	case strings.TrimSpace(name) == "":
		return &RefusedError{name, "it is empty"}
	case strings.Contains(name, "{{"):
		return &RefusedError{name, "which recipe is called must be known before the run; write one step for each, with a condition"}
	case strings.ContainsAny(name, "/\\\x00") || strings.Contains(name, ".."):
		return &RefusedError{name, "a name holds no path; a path starts with ./ or /"}
	}
	return nil
}

// findPath follows a path written in a recipe.
func findPath(name string, from Source) (Source, error) {
	if strings.Contains(name, "{{") {
		return Source{}, checkRecipeName(name)
	}
	for part := range strings.FieldsFuncSeq(name, func(r rune) bool { return r == '/' || r == '\\' }) {
		if part == ".." {
			return Source{}, &RefusedError{name, "a path may not lead out of the recipe's folder with .."}
		}
	}
	path, folder := filepath.Clean(name), filepath.Dir(name)
	shown := path
	if !filepath.IsAbs(name) {
		if from.Dir == "" {
			return Source{}, &RefusedError{name, "a built-in recipe has no folder that a path could start from"}
		}
		path, folder = filepath.Join(from.Dir, name), from.Dir
		shown = filepath.Join(filepath.Dir(from.Path), name)
	}
	for i, candidate := range withExtensions(path) {
		if !isFile(candidate) {
			continue
		}
		if err := checkLink(folder, candidate); err != nil {
			return Source{}, err
		}
		return Source{Path: withExtensions(shown)[i], Dir: filepath.Dir(candidate)}, nil
	}
	return Source{}, &NotFoundError{Name: name, Tried: []string{path}}
}

// findName looks for a bare name in all folders.
func (r *Resolver) findName(name string, from ...string) (Source, error) {
	folders := r.search.folders(from...)
	for _, dir := range folders {
		if dir == builtinFolder {
			if _, ok := r.search.Builtin(name); ok {
				return Source{Path: builtinFolder + name}, nil
			}
			continue
		}
		for _, ext := range extensions {
			path := filepath.Join(dir, name+ext)
			if !isFile(path) {
				continue
			}
			if err := checkLink(dir, path); err != nil {
				return Source{}, err
			}
			return Source{Path: path, Dir: dir}, nil
		}
	}
	return Source{}, &NotFoundError{Name: name, Tried: folders, Nearest: nearest(name, r.names(folders))}
}

// Read returns the text of a source that Find gave.
func (r *Resolver) Read(source Source) ([]byte, error) {
	if name, builtin := strings.CutPrefix(source.Path, builtinFolder); builtin {
		if r.search.Builtin != nil {
			if text, ok := r.search.Builtin(name); ok {
				return text, nil
			}
		}
		return nil, &NotFoundError{Name: name}
	}
	return readFile(source.file())
}

// file is where the text of a source is read from.
func (s Source) file() string { return filepath.Join(s.Dir, filepath.Base(s.Path)) }

var extensions = []string{".yaml", ".yml"}

// withExtensions is the path itself where it has an extension of YAML, else the
// path with each of them.
func withExtensions(path string) []string {
	switch filepath.Ext(path) {
	case ".yaml", ".yml":
		return []string{path}
	}
	return []string{path + ".yaml", path + ".yml"}
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// checkLink refuses a file that a symbolic link takes out of the folder it was
// found in, so that a recipe cannot point at any file of the machine.
func checkLink(folder, path string) error {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return fmt.Errorf("find the recipe: %w", err)
	}
	root, err := filepath.EvalSymlinks(folder)
	if err != nil {
		return fmt.Errorf("find the recipe: %w", err)
	}
	if real, err = filepath.Abs(real); err == nil {
		root, err = filepath.Abs(root)
	}
	if err != nil {
		return fmt.Errorf("find the recipe: %w", err)
	}
	if !inside(root, real) {
		return &RefusedError{path, "it is a link that leads out of its folder, to " + real}
	}
	return nil
}

// names lists the file names, without extension, that the folders offer.
func (r *Resolver) names(folders []string) []string {
	var names []string
	for _, dir := range folders {
		if dir == builtinFolder {
			names = append(names, r.search.builtinNames()...)
			continue
		}
		files, err := os.ReadDir(dir)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			continue
		}
		for _, file := range files {
			if stem, ok := recipeStem(file.Name()); ok {
				names = append(names, stem)
			}
		}
	}
	return names
}

func recipeStem(file string) (stem string, ok bool) {
	for _, ext := range extensions {
		if stem, ok := strings.CutSuffix(file, ext); ok && stem != "" {
			return stem, true
		}
	}
	return "", false
}
