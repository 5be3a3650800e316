package main

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/brickoven/brickoven/recipes/value"
	"github.com/brickoven/brickoven/runner/exit"
	"github.com/brickoven/brickoven/schema"
	"github.com/spf13/cobra"
)

//go:embed starter
var starter embed.FS

func newInitCommand(a *app) *cobra.Command {
	var dir string
	cmd := &cobra.Command{
		Use: "init [NAME]", Short: "Write a first recipe, its test and a configuration",
		Long: `Write a first recipe into .brickoven/recipes, with a contract test, a
configuration, and the schemas that editors check recipes with. Files that are
there already stay as they are.
` + exitStatus(),
		Args: cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			name := "hello"
			if len(args) == 1 {
				name = args[0]
			}
			if !value.IsName(name) {
				return &failure{exit.Usage, fmt.Errorf("%q cannot name a recipe; use letters, digits, _ and -", name)}
			}
			return a.initProject(dir, name)
		},
	}
	cmd.Flags().StringVarP(&dir, "working-dir", "C", ".", "the folder of the project")
	return cmd
}

// starterFile is one file that init writes below .brickoven.
type starterFile struct {
	path string
	text []byte
}

func (a *app) initProject(dir, name string) error {
	files, err := starterFiles(name)
	if err != nil {
		return &failure{exit.Failed, err}
	}
	for _, file := range files {
		path := filepath.Join(dir, ".brickoven", filepath.FromSlash(file.path))
		switch err := createFile(path, file.text); {
		case errors.Is(err, fs.ErrExist):
			fmt.Fprintf(a.out, "kept     %s\n", path)
		case err != nil:
			return &failure{exit.Failed, err}
		default:
			fmt.Fprintf(a.out, "written  %s\n", path)
		}
	}
	fmt.Fprintf(a.out, "\nnext:\n  brickoven run %s\n  brickoven validate\n  brickoven test\n", name)
	return nil
}

func starterFiles(name string) ([]starterFile, error) {
	var files []starterFile
	for _, of := range []struct{ from, to string }{
		{"recipe.yaml", "recipes/" + name + ".yaml"},
		{"recipe.test.yaml", "recipes/" + name + ".test.yaml"},
		{"config.yaml", "config.yaml"},
	} {
		text, err := starter.ReadFile("starter/" + of.from)
		if err != nil {
			return nil, err
		}
		files = append(files, starterFile{of.to, []byte(strings.ReplaceAll(string(text), "NAME", name))})
	}
	for _, kind := range []string{"recipe", "test"} {
		document, ok := schema.Get(kind)
		if !ok {
			return nil, fmt.Errorf("the schema %s is not in this binary", kind)
		}
		files = append(files, starterFile{kind + ".schema.json", document})
	}
	return files, nil
}

// createFile writes a new file and leaves one that exists alone.
func createFile(path string, text []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = file.Write(text)
	if closeErr := file.Close(); err == nil {
		err = closeErr
	}
	return err
}
