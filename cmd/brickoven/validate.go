package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/brickoven/brickoven/recipes"
	"github.com/brickoven/brickoven/runner/exit"
	"github.com/spf13/cobra"
)

// The formats of validate's report.
const (
	formatText   = "text"
	formatJSON   = "json"
	formatSARIF  = "sarif"
	formatGitHub = "github"
)

func newValidateCommand(a *app) *cobra.Command {
	var p place
	var format string
	cmd := &cobra.Command{
		Use: "validate [FILE|NAME|DIR]...", Short: "Find before a run what would fail in it",
		Long: `Check recipes with all the recipes they call: syntax, templates, conditions,
shell commands, names, and what would run otherwise than meant. A folder stands
for all recipes below it; without arguments it is the working directory.

Errors end with 2, with --strict warnings too. A warning is silenced on its line
with a reason:  # brickoven: ignore CODE reason
` + exitStatus(),
		RunE: func(_ *cobra.Command, args []string) error {
			if !slices.Contains([]string{formatText, formatJSON, formatSARIF, formatGitHub}, format) {
				return &failure{exit.Usage, fmt.Errorf("--output-format %q is not text, json, sarif or github", format)}
			}
			v := &validation{app: a, place: p, seen: map[string]bool{}, reports: map[string]*recipeReport{}}
			if err := v.check(args); err != nil {
				return err
			}
			if err := v.print(format); err != nil {
				return &failure{exit.Failed, err}
			}
			if errorCount, warnings := v.count(); errorCount > 0 || p.strict && warnings > 0 {
				return &failure{Code: exit.Invalid}
			}
			return nil
		},
	}
	p.flags(cmd.Flags())
	cmd.Flags().StringVar(&format, "output-format", formatText, "text, json, sarif (2.1.0), or github (annotations)")
	return cmd
}

// validation checks a set of recipes. A file that several of them reach is
// reported once.
type validation struct {
	app   *app
	place place
	// order holds the files of the recipes that were asked for.
	order   []string
	reports map[string]*recipeReport // by file
	seen    map[string]bool          // findings, with their places
}

// recipeReport is what was found about one recipe.
type recipeReport struct {
	path  string
	name  string // empty where the document could not be read
	steps int
	found recipes.Findings
	// silenced are the warnings that a comment silences.
	silenced recipes.Findings
}

// check resolves what the arguments name, callers before the recipes that they
// call, so that a name which a caller supplies is not missing.
func (v *validation) check(args []string) error {
	targets, err := v.targets(args)
	if err != nil {
		return err
	}
	trees := make(map[string]*recipes.Tree, len(targets))
	called := map[string]bool{}
	for _, target := range targets {
		tree, err := v.resolve(target)
		if err != nil {
			return err
		}
		if tree == nil {
			continue
		}
		trees[target] = tree
		for _, recipe := range tree.All[1:] {
			// The rounds that a loop holds itself are part of its own document.
			if recipe.Source.Path != tree.Root.Source.Path {
				called[fileKey(recipe.Source.Path)] = true
			}
		}
	}
	for _, covered := range []bool{false, true} {
		for _, target := range targets {
			if tree := trees[target]; tree != nil && called[fileKey(tree.Root.Source.Path)] == covered {
				v.inspect(tree, covered)
			}
		}
	}
	return nil
}

// targets are the recipes that the arguments name, with the files of folders.
func (v *validation) targets(args []string) ([]string, error) {
	if len(args) == 0 {
		args = []string{v.place.workDir}
	}
	var list []string
	for _, arg := range args {
		info, err := os.Stat(arg)
		if err != nil || !info.IsDir() {
			list = append(list, arg)
			continue
		}
		files, err := recipes.Files(arg)
		if err != nil {
			return nil, &failure{exit.Failed, err}
		}
		if len(files) == 0 {
			return nil, &failure{exit.NotFound, fmt.Errorf("%s holds no recipe", arg)}
		}
		list = append(list, files...)
	}
	return list, nil
}

// resolve reads one recipe. Findings are noted, and the tree is nil. --strict is
// not handed on, because a warning that is silenced must stay one.
func (v *validation) resolve(target string) (*recipes.Tree, error) {
	resolver, err := v.app.resolver(&v.place)
	if err != nil {
		return nil, err
	}
	source, err := resolver.FindRoot(target)
	if err != nil {
		return nil, v.app.loadFailure(err)
	}
	tree, err := resolver.ResolveSource(source, recipes.LoadOptions{AllowForeign: v.place.foreign})
	var found recipes.Findings
	if errors.As(err, &found) {
		v.note(v.report(source.Path), found)
		return nil, nil
	}
	if err != nil {
		return nil, v.app.loadFailure(err)
	}
	report := v.report(tree.Root.Source.Path)
	report.name, report.steps = tree.Root.Name, len(tree.Root.Steps)
	return tree, nil
}

// inspect notes what there is to say about a tree. Of a recipe that another of
// the set calls, the names and the flow were looked at with its caller.
func (v *validation) inspect(tree *recipes.Tree, covered bool) {
	report := v.report(tree.Root.Source.Path)
	if covered {
		return
	}
	found := append(recipes.Findings{}, tree.Warnings...)
	found = append(found, tree.Check(nil)...)
	found = append(found, tree.Flow()...)
	found = append(found, v.app.checkParts(tree, v.place.workDir)...)
	kept, silenced := tree.Silence(found, true)
	v.note(report, promoted(tree, kept))
	report.silenced = append(report.silenced, silenced...)
}

// promoted makes errors of the warnings about what run would attempt and fail
// at: a recipe that is not there, and a command that does not parse. They are
// warnings to the loader, because the step may never be reached, and because
// bash has the last word about its language.
func promoted(tree *recipes.Tree, found recipes.Findings) recipes.Findings {
	list := slices.Clone(found)
	for i, f := range list {
		if f.Warning && (f.Code == "shell-syntax" || f.Code == "recipe-not-found" && !tolerated(tree, f)) {
			fault := *f
			fault.Warning = false
			list[i] = &fault
		}
	}
	return list
}

// tolerated tells whether the step that calls a missing recipe may fail.
func tolerated(tree *recipes.Tree, f *recipes.Finding) bool {
	for _, r := range tree.All {
		for _, s := range slices.Concat(r.Steps, r.Finally) {
			if s.Missing != nil && s.Tolerate && s.Pos.File == f.Pos.File && s.Pos.Line <= f.Pos.Line && s.Missing.Error() == f.Message {
				return true
			}
		}
	}
	return false
}

func functionNames() []string {
	var names []string
	for name := range natives() {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// report is the one of a file; a file that was asked for keeps its place.
func (v *validation) report(path string) *recipeReport {
	key := fileKey(path)
	if r := v.reports[key]; r != nil {
		return r
	}
	r := &recipeReport{path: path}
	v.reports[key] = r
	v.order = append(v.order, key)
	return r
}

// fileKey is the same for all spellings of a file's path.
func fileKey(path string) string {
	if absolute, err := filepath.Abs(path); err == nil {
		return absolute
	}
	return path
}

// note files findings under the recipe that they are about, where it was asked
// for, and under the caller otherwise.
func (v *validation) note(report *recipeReport, found recipes.Findings) {
	for _, f := range found {
		place := f.Pos
		place.File = fileKey(place.File)
		key := f.Code + "\n" + place.String() + "\n" + f.Message
		if v.seen[key] {
			continue
		}
		v.seen[key] = true
		to := report
		if own := v.reports[place.File]; own != nil {
			to = own
		}
		to.found = append(to.found, f)
	}
}

func (v *validation) count() (faults, warnings int) {
	for _, path := range v.order {
		faults += len(v.reports[path].found.Errors())
		warnings += len(v.reports[path].found.Warnings())
	}
	return faults, warnings
}

// verdict prints whether a recipe is valid, in words that existing callers look
// for.
func (a *app) verdict(r *recipes.Recipe, warnings recipes.Findings) {
	report := recipeReport{name: r.Name, steps: len(r.Steps), found: warnings}
	fmt.Fprint(a.out, report.text())
}

// text is the report for people, without the faults, which go to standard
// error.
func (r *recipeReport) text() string {
	var b strings.Builder
	faults, warnings := r.found.Errors(), r.found.Warnings()
	switch {
	case r.name == "":
		return ""
	case len(faults) > 0:
		fmt.Fprintf(&b, "✗ Recipe '%s' has %d error(s)", r.name, len(faults))
		if len(warnings) > 0 {
			fmt.Fprintf(&b, " and %d warning(s):", len(warnings))
		}
	case len(warnings) > 0:
		fmt.Fprintf(&b, "⚠ Recipe '%s' has %d warning(s):", r.name, len(warnings))
	default:
		fmt.Fprintf(&b, "✓ Recipe '%s' is valid (%d steps)", r.name, r.steps)
	}
	b.WriteByte('\n')
	for _, w := range warnings {
		fmt.Fprintf(&b, "  - %s\n", strings.ReplaceAll(coded(w), "\n", "\n  "))
	}
	return b.String()
}
