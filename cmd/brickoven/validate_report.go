package main

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/brickoven/brickoven/recipes"
)

func (v *validation) print(format string) error {
	switch format {
	case formatJSON:
		v.app.printJSON(v.json())
	case formatSARIF:
		v.app.printJSON(v.sarif())
	case formatGitHub:
		for _, path := range v.order {
			for _, f := range v.reports[path].found {
				fmt.Fprintln(v.app.out, annotation(v.place.workDir, f))
			}
		}
	default:
		for _, path := range v.order {
			r := v.reports[path]
			for _, f := range r.found.Errors() {
				fmt.Fprintf(v.app.err, "Error: %s\n", coded(f))
			}
			fmt.Fprint(v.app.out, r.text())
		}
	}
	return nil
}

// coded is a finding for people, with its code behind the message.
func coded(f *recipes.Finding) string {
	first, rest, _ := strings.Cut(f.Error(), "\n")
	if rest != "" {
		rest = "\n" + rest
	}
	return first + " [" + f.Code + "]" + rest
}

// validationJSON is the report for machines.
type validationJSON struct {
	Success  bool          `json:"success"`
	Errors   int           `json:"errors"`
	Warnings int           `json:"warnings"`
	Silenced int           `json:"silenced"`
	Recipes  []checkedJSON `json:"recipes"`
	Findings []findingJSON `json:"findings"`
}

type checkedJSON struct {
	Path  string `json:"path"`
	Name  string `json:"name"`
	Steps int    `json:"steps"`
}

type findingJSON struct {
	Code     string `json:"code"`
	Severity string `json:"severity"` // error or warning
	Message  string `json:"message"`
	Hint     string `json:"hint"`
	File     string `json:"file"`
	Line     int    `json:"line"`   // from 1; 0 where unknown
	Column   int    `json:"column"` // in characters, from 1; 0 where unknown
	Source   string `json:"source"` // the text of the line
	Help     string `json:"help"`
}

func (v *validation) json() validationJSON {
	doc := validationJSON{Recipes: []checkedJSON{}, Findings: []findingJSON{}}
	doc.Errors, doc.Warnings = v.count()
	doc.Success = doc.Errors == 0 && (!v.place.strict || doc.Warnings == 0)
	for _, path := range v.order {
		r := v.reports[path]
		doc.Recipes = append(doc.Recipes, checkedJSON{r.path, r.name, r.steps})
		doc.Silenced += len(r.silenced)
		for _, f := range r.found {
			doc.Findings = append(doc.Findings, findingJSON{
				Code: f.Code, Severity: severity(f), Message: f.Message, Hint: f.Hint,
				File: f.Pos.File, Line: f.Pos.Line, Column: f.Pos.Column, Source: f.Line, Help: helpFor(f.Code),
			})
		}
	}
	return doc
}

func severity(f *recipes.Finding) string {
	if f.Warning {
		return "warning"
	}
	return "error"
}

// helpFor is the section of the documentation that explains a code.
func helpFor(code string) string { return "docs/findings.md#" + code }

// annotation is a finding as a workflow command of GitHub Actions, which shows
// it in the diff. Paths are relative to base.
func annotation(base string, f *recipes.Finding) string {
	text := f.Message
	if f.Hint != "" {
		text += "\nhint: " + f.Hint
	}
	properties := []string{"title=" + property(f.Code)}
	if f.Pos.File != "" {
		properties = append(properties, "file="+property(relative(base, f.Pos.File)))
	}
	if f.Pos.Line > 0 {
		properties = append(properties, fmt.Sprintf("line=%d", f.Pos.Line), fmt.Sprintf("col=%d", max(f.Pos.Column, 1)))
	}
	return "::" + severity(f) + " " + strings.Join(properties, ",") + "::" + message(text)
}

// message and property write a text so that it stays within its workflow
// command, whatever it holds.
func message(text string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(text)
}

func property(text string) string {
	return strings.NewReplacer(":", "%3A", ",", "%2C").Replace(message(text))
}

// relative is a path below base with slashes; what lies elsewhere stays as it is.
func relative(base, path string) string {
	absolute, err := filepath.Abs(base)
	if err != nil {
		return filepath.ToSlash(path)
	}
	own, err := filepath.Abs(path)
	if err != nil {
		return filepath.ToSlash(path)
	}
	rel, err := filepath.Rel(absolute, own)
	if err != nil || strings.HasPrefix(rel, "..") {
		return filepath.ToSlash(path)
	}
	return filepath.ToSlash(rel)
}
