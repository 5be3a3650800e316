package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/brickoven/brickoven/runner/journal"
	"github.com/brickoven/brickoven/runner/report"
)

// The inputs of the tools.
type (
	noInput struct{}

	recipeInput struct {
		Recipe string `json:"recipe" jsonschema_description:"the name of a recipe, or a file below the working directory"`
	}

	listRunsInput struct {
		Limit int `json:"limit,omitempty" jsonschema_description:"at most this many; 20 where it is left out"`
	}

	runInput struct {
		Run string `json:"run,omitempty" jsonschema_description:"the id of the run or its beginning; the newest run where it is left out"`
	}

	outputInput struct {
		Run  string `json:"run,omitempty" jsonschema_description:"the id of the run or its beginning; the newest run where it is left out"`
		Step string `json:"step" jsonschema_description:"the path of the step as show_run gives it, or the end of it"`
	}
)

type recipeList struct {
	Recipes []recipeRow `json:"recipes"`
}

type recipeRow struct {
	Name        string `json:"name"`
	Path        string `json:"path"`
	Description string `json:"description"`
	MayRun      bool   `json:"may_run"`
	Error       string `json:"error,omitempty"`
}

func (d *door) listRecipes(context.Context, noInput) (recipeList, error) {
	list := recipeList{Recipes: []recipeRow{}}
	resolver, err := d.app.resolver(&d.place)
	if err != nil {
		return list, err
	}
	entries, err := resolver.List()
	if err != nil {
		return list, err
	}
	for _, e := range entries {
		if e.Shadowed != "" {
			continue
		}
		row := recipeRow{Name: e.Name, Path: e.Path, Description: strings.TrimSpace(e.Description)}
		_, row.MayRun = d.allowed[e.Name]
		if e.Err != nil {
			row.Error = e.Err.Error()
		}
		list.Recipes = append(list.Recipes, row)
	}
	return list, nil
}

type explanation struct {
	Text   string `json:"text"`
	Graph  string `json:"graph" jsonschema_description:"the recipe as a Mermaid flowchart"`
	MayRun bool   `json:"may_run"`
}

func (d *door) explainRecipe(_ context.Context, in recipeInput) (explanation, error) {
	tree, err := d.resolve(in.Recipe)
	if err != nil {
		return explanation{}, err
	}
	_, may := d.allowed[in.Recipe]
	return explanation{Text: explain(tree), Graph: mermaid(tree.Root), MayRun: may}, nil
}

type findings struct {
	OK     bool           `json:"ok"`
	Report map[string]any `json:"report" jsonschema_description:"what brickoven validate --output-format json prints"`
}

// validateRecipe is the command validate with its JSON.
func (d *door) validateRecipe(ctx context.Context, in recipeInput) (findings, error) {
	if _, err := d.resolve(in.Recipe); errors.Is(err, errOutside) {
		return findings{}, err
	}
	var out, errOut bytes.Buffer
	inner := &app{environ: d.app.environ, in: strings.NewReader(""), out: &out, err: &errOut}
	args := []string{"validate", "--output-format", "json", "--working-dir", d.place.workDir}
	for _, dir := range d.place.recipeDirs {
		args = append(args, "--recipe-dir", dir)
	}
	err := inner.execute(ctx, append(args, "--", in.Recipe))
	found := findings{OK: err == nil}
	if json.Unmarshal(out.Bytes(), &found.Report) != nil {
		return found, errors.Join(err, errors.New(strings.TrimSpace(errOut.String())))
	}
	return found, nil
}

type runList struct {
	Runs []runRow `json:"runs"`
}

type runRow struct {
	Run      string    `json:"run"`
	Recipe   string    `json:"recipe"`
	Status   string    `json:"status"`
	Started  time.Time `json:"started"`
	ExitCode *int      `json:"exit_code,omitempty"`
}

func (d *door) listRuns(_ context.Context, in listRunsInput) (runList, error) {
	list := runList{Runs: []runRow{}}
	runs, err := d.app.runsFolder(d.stateDir, d.place.workDir)
	if err != nil {
		return list, err
	}
	found, err := journal.List(runs)
	if err != nil {
		return list, err
	}
	limit := in.Limit
	if limit <= 0 {
		limit = 20
	}
	for _, s := range found[:min(limit, len(found))] {
		row := runRow{Run: s.RunID, Recipe: s.Recipe, Status: standing(s), Started: s.Started}
		if s.End != nil {
			row.ExitCode = &s.End.ExitCode
		}
		list.Runs = append(list.Runs, row)
	}
	return list, nil
}

// report finds a run and reads it.
func (d *door) report(id string) (*report.Run, error) {
	runs, err := d.app.runsFolder(d.stateDir, d.place.workDir)
	if err != nil {
		return nil, err
	}
	dir, err := d.app.findRun(runs, id)
	if err != nil {
		return nil, err
	}
	return d.app.readReport(dir, time.Now())
}

func (d *door) showRun(_ context.Context, in runInput) (runDigest, error) {
	run, err := d.report(in.Run)
	if err != nil {
		return runDigest{}, err
	}
	return newDigest(run), nil
}

type outputs struct {
	Step    string       `json:"step"`
	Outputs []outputPart `json:"outputs"`
}

type outputPart struct {
	What  string `json:"what"`
	Bytes int64  `json:"bytes"`
	Text  string `json:"text"`
}

func (d *door) readOutput(_ context.Context, in outputInput) (outputs, error) {
	run, err := d.report(in.Run)
	if err != nil {
		return outputs{}, err
	}
	for i := len(run.All) - 1; i >= 0; i-- {
		st := run.All[i]
		if st.Path != in.Step && !strings.HasSuffix(st.Path, "/"+in.Step) || in.Step == "" {
			continue
		}
		found := outputs{Step: st.Path, Outputs: []outputPart{}}
		for _, o := range st.Outputs {
			part := outputPart{What: o.Label, Bytes: o.Size, Text: o.Text}
			if o.Cut > 0 {
				part.Text = fmt.Sprintf("%s\n[%d bytes are left out here]\n%s", o.Head, o.Cut, o.Text)
			}
			if o.Missing != "" {
				part.Text = "[" + o.Missing + "]"
			}
			found.Outputs = append(found.Outputs, part)
		}
		return found, nil
	}
	return outputs{}, fmt.Errorf("run %s has no step %q", run.ID, in.Step)
}
