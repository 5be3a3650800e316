package recipes

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
)

// TestExtension ends the name of a file with contract tests.
const TestExtension = ".test.yaml"

// Files lists the recipe files below a folder, sorted: YAML files that have a
// name and steps, or a parent. Hidden folders other than .brickoven and
// .claude, node_modules and symbolic links are not entered. The error is that
// of the file system.
func Files(dir string) ([]string, error) {
	return filesBelow(dir, func(path string) (bool, error) {
		if _, ok := recipeStem(path); !ok || strings.HasSuffix(path, TestExtension) {
			return false, nil
		}
		data, err := readFile(path)
		return err == nil && looksLikeRecipe(data), err
	})
}

// TestFiles lists the files with contract tests below a folder, as Files does.
func TestFiles(dir string) ([]string, error) {
	return filesBelow(dir, func(path string) (bool, error) { return strings.HasSuffix(path, TestExtension), nil })
}

func filesBelow(dir string, wanted func(path string) (bool, error)) ([]string, error) {
	var found []string
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if path != dir && isSkipped(entry.Name()) {
				return filepath.SkipDir
			}
			return nil
		}
		if !entry.Type().IsRegular() {
			return nil
		}
		ok, err := wanted(path)
		if ok {
			found = append(found, path)
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list the files: %w", err)
	}
	slices.Sort(found)
	return found, nil
}

func isSkipped(folder string) bool {
	return folder == "node_modules" || strings.HasPrefix(folder, ".") && folder != ".brickoven" && folder != ".claude"
}
