package recipes

import (
	"path/filepath"
	"slices"
	"strings"
)

// Search says where recipes are looked for (DESIGN section 7). Everything is
// handed in; nothing is read from the environment. Empty fields are left out.
type Search struct {
	// Explicit are the folders of -R.
	Explicit []string
	// WorkDir is the working directory and RepoRoot the root of the repository
	// around it; without one, only the working directory itself is looked at.
	WorkDir, RepoRoot string
	// EnvDirs are the folders of $BRICKOVEN_RECIPE_DIRS and
	// $RECIPE_RUNNER_RECIPE_DIRS, split.
	EnvDirs []string
	// ConfigDir is the user's configuration folder of brickoven; its recipes/
	// is looked at.
	ConfigDir string
	// Home is the user's home folder.
	Home string
	// AmplihackHome and PackageRecipeDir are $AMPLIHACK_HOME and
	// $AMPLIHACK_PACKAGE_RECIPE_DIR.
	AmplihackHome, PackageRecipeDir string
	// Builtin returns the text of a built-in recipe.
	Builtin func(name string) (text []byte, ok bool)
	// BuiltinNames lists the built-in recipes; nil is none.
	BuiltinNames func() []string
}

// builtinFolder stands for the built-in recipes among the folders.
const builtinFolder = "builtin:"

// builtinNames lists the built-in recipes.
func (s *Search) builtinNames() []string {
	if s.BuiltinNames == nil {
		return nil
	}
	return s.BuiltinNames()
}

// folders lists where names are looked for, in order, each once. From are the
// folders of the calling recipe.
func (s *Search) folders(from ...string) []string {
	list := slices.Clone(s.Explicit)
	list = append(list, from...)
	upwards := s.upwards()
	for _, dir := range upwards {
		list = append(list, dir, filepath.Join(dir, "recipes"), filepath.Join(dir, ".brickoven", "recipes"))
	}
	list = append(list, s.EnvDirs...)
	list = append(list, below(s.ConfigDir, "recipes"))
	if s.Builtin != nil {
		list = append(list, builtinFolder)
	}
	for _, dir := range upwards {
		list = append(list, filepath.Join(dir, "amplifier-bundle", "recipes"))
	}
	list = append(list,
		s.PackageRecipeDir,
		below(s.AmplihackHome, "amplifier-bundle", "recipes"),
		below(s.Home, ".amplihack", "amplifier-bundle", "recipes"),
		below(s.Home, ".amplihack", ".claude", "recipes"),
		below(s.WorkDir, ".claude", "recipes"))
	return unique(list)
}

// upwards is the working directory and what is above it, up to the root of the
// repository. It never leaves the repository, because folders above it may
// belong to other people.
func (s *Search) upwards() []string {
	if s.WorkDir == "" {
		return nil
	}
	dir := filepath.Clean(s.WorkDir)
	list := []string{dir}
	if s.RepoRoot == "" || !inside(filepath.Clean(s.RepoRoot), dir) {
		return list
	}
	for dir != filepath.Clean(s.RepoRoot) {
		dir = filepath.Dir(dir)
		list = append(list, dir)
	}
	return list
}

func below(dir string, parts ...string) string {
	if dir == "" {
		return ""
	}
	return filepath.Join(append([]string{dir}, parts...)...)
}

func unique(list []string) []string {
	seen := map[string]bool{"": true}
	kept := list[:0]
	for _, dir := range list {
		if dir != "" && dir != builtinFolder {
			dir = filepath.Clean(dir)
		}
		if !seen[dir] {
			seen[dir] = true
			kept = append(kept, dir)
		}
	}
	return kept
}

// inside reports whether path is dir or lies below it; both are clean.
func inside(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}
