package recipes

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"gopkg.in/yaml.v3"
)

// Entry is a recipe that the resolver offers.
type Entry struct {
	// Name is what run and other recipes call it by: the file's name.
	Name string
	// Title, Description and Version are the name, description and version in
	// the document.
	Title, Description, Version string
	// Path is the file, or builtin:NAME.
	Path string
	// Shadowed is the path of the recipe that Name leads to instead; empty for
	// the one that it leads to.
	Shadowed string
	// Err says why the recipe could not be read, or is refused; nil when fine.
	Err error
}

// List returns every recipe that Find looks at, in its order, with those marked
// that an earlier one of the same name hides. It reads no more of a file than
// name, description and version; YAML files that are no recipes are left out.
func (r *Resolver) List() ([]Entry, error) {
	var list []Entry
	first := map[string]string{}
	add := func(e Entry) {
		if hiding, taken := first[e.Name]; taken {
			e.Shadowed = hiding
		} else {
			first[e.Name] = e.Path
		}
		list = append(list, e)
	}
	for _, dir := range r.search.folders() {
		if dir == builtinFolder {
			for _, name := range r.search.builtinNames() {
				if text, ok := r.search.Builtin(name); ok {
					add(readEntry(name, builtinFolder+name, text))
				}
			}
			continue
		}
		if err := listFolder(dir, add); err != nil {
			return list, err
		}
	}
	return list, nil
}

func listFolder(dir string, add func(Entry)) error {
	files, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) || isNotFolder(dir) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("list recipes: %w", err)
	}
	for _, ext := range extensions {
		for _, file := range files {
			stem, ok := recipeStem(file.Name())
			if !ok || filepath.Ext(file.Name()) != ext {
				continue
			}
			if e, isRecipe := fileEntry(dir, stem, file); isRecipe {
				add(e)
			}
		}
	}
	return nil
}

func isNotFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && !info.IsDir()
}

func fileEntry(dir, name string, file fs.DirEntry) (e Entry, isRecipe bool) {
	path := filepath.Join(dir, file.Name())
	if !file.Type().IsRegular() {
		if !isFile(path) {
			return Entry{}, false
		}
		if err := checkLink(dir, path); err != nil {
			return Entry{Name: name, Path: path, Err: err}, true
		}
	}
	data, err := readFile(path)
	if err != nil {
		return Entry{Name: name, Path: path, Err: err}, true
	}
	if !looksLikeRecipe(data) {
		return Entry{}, false
	}
	return readEntry(name, path, data), true
}

// looksLikeRecipe tells recipes from the other YAML files of a working
// directory: they have a name and steps, or a parent.
func looksLikeRecipe(data []byte) bool {
	if flow := bytes.TrimSpace(data); len(flow) > 0 && flow[0] == '{' {
		return bytes.Contains(flow, []byte(`"name"`)) && (bytes.Contains(flow, []byte(`"steps"`)) || bytes.Contains(flow, []byte(`"extends"`)))
	}
	named, runs := false, false
	for line := range bytes.Lines(data) {
		switch topKey(line) {
		case "name":
			named = true
		case "steps", "extends":
			runs = true
		}
		if named && runs {
			return true
		}
	}
	return false
}

// topKey is the key that a line at the left margin sets; empty for others.
func topKey(line []byte) string {
	if len(line) == 0 || line[0] == ' ' || line[0] == '\t' || line[0] == '#' || line[0] == '-' {
		return ""
	}
	key, rest, found := bytes.Cut(line, []byte(":"))
	if !found || len(rest) > 0 && rest[0] != ' ' && rest[0] != '\t' && rest[0] != '\r' && rest[0] != '\n' {
		return ""
	}
	return string(bytes.Trim(bytes.TrimPrefix(bytes.TrimSpace(key), []byte("\ufeff")), `"'`))
}

// readEntry reads the head of a document; the whole of it where the head does
// not stand by itself.
func readEntry(name, path string, data []byte) Entry {
	e := Entry{Name: name, Path: path}
	var head struct{ Name, Description, Version string }
	if yaml.Unmarshal(headOf(data), &head) != nil || head.Name == "" {
		if err := yaml.Unmarshal(data, &head); err != nil {
			e.Err = fmt.Errorf("%s: %w", path, err)
		}
	}
	e.Title, e.Description, e.Version = head.Name, head.Description, head.Version
	return e
}

// headOf cuts the lines of name, description and version out of a document.
func headOf(data []byte) []byte {
	var head []byte
	keep := false
	for line := range bytes.Lines(data) {
		if key := topKey(line); key != "" {
			keep = key == "name" || key == "description" || key == "version"
		}
		if keep {
			head = append(head, line...)
		}
	}
	return head
}
