package main

import "github.com/brickoven/brickoven/recipes"

// The parts of SARIF 2.1.0 that code scanning reads.
type sarifLog struct {
	Schema  string     `json:"$schema"`
	Version string     `json:"version"`
	Runs    []sarifRun `json:"runs"`
}

type sarifRun struct {
	Tool       sarifTool     `json:"tool"`
	ColumnKind string        `json:"columnKind"`
	Results    []sarifResult `json:"results"`
}

type sarifTool struct {
	Driver sarifDriver `json:"driver"`
}

type sarifDriver struct {
	Name           string      `json:"name"`
	Version        string      `json:"version"`
	InformationURI string      `json:"informationUri"`
	Rules          []sarifRule `json:"rules"`
}

type sarifRule struct {
	ID      string `json:"id"`
	HelpURI string `json:"helpUri"`
}

type sarifResult struct {
	RuleID       string             `json:"ruleId"`
	RuleIndex    int                `json:"ruleIndex"`
	Level        string             `json:"level"`
	Message      sarifText          `json:"message"`
	Locations    []sarifLocation    `json:"locations"`
	Suppressions []sarifSuppression `json:"suppressions,omitempty"`
}

type sarifText struct {
	Text string `json:"text"`
}

type sarifLocation struct {
	Physical sarifPhysical `json:"physicalLocation"`
}

type sarifPhysical struct {
	Artifact sarifArtifact `json:"artifactLocation"`
	Region   *sarifRegion  `json:"region,omitempty"`
}

type sarifArtifact struct {
	URI string `json:"uri"`
}

type sarifRegion struct {
	StartLine   int        `json:"startLine"`
	StartColumn int        `json:"startColumn"`
	Snippet     *sarifText `json:"snippet,omitempty"`
}

type sarifSuppression struct {
	Kind string `json:"kind"`
}

const (
	sarifSchema = "https://json.schemastore.org/sarif-2.1.0.json"
	homepage    = "https://github.com/brickoven/brickoven"
)

// sarif is the report for code scanning. Silenced warnings are in it, marked as
// suppressed in the source.
func (v *validation) sarif() sarifLog {
	run := sarifRun{
		ColumnKind: "unicodeCodePoints", Results: []sarifResult{},
		Tool: sarifTool{sarifDriver{Name: "brickoven", Version: version(), InformationURI: homepage, Rules: []sarifRule{}}},
	}
	rules := map[string]int{}
	add := func(f *recipes.Finding, suppressions []sarifSuppression) {
		index, known := rules[f.Code]
		if !known {
			index = len(rules)
			rules[f.Code] = index
			run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, sarifRule{ID: f.Code, HelpURI: homepage + "/blob/main/" + helpFor(f.Code)})
		}
		result := v.sarifResult(f)
		result.RuleIndex, result.Suppressions = index, suppressions
		run.Results = append(run.Results, result)
	}
	for _, path := range v.order {
		for _, f := range v.reports[path].found {
			add(f, nil)
		}
		for _, f := range v.reports[path].silenced {
			add(f, []sarifSuppression{{Kind: "inSource"}})
		}
	}
	return sarifLog{Schema: sarifSchema, Version: "2.1.0", Runs: []sarifRun{run}}
}

func (v *validation) sarifResult(f *recipes.Finding) sarifResult {
	text := f.Message
	if f.Hint != "" {
		text += " (" + f.Hint + ")"
	}
	place := sarifPhysical{Artifact: sarifArtifact{relative(v.place.workDir, f.Pos.File)}}
	if f.Pos.Line > 0 {
		place.Region = &sarifRegion{StartLine: f.Pos.Line, StartColumn: max(f.Pos.Column, 1)}
		if f.Line != "" {
			place.Region.Snippet = &sarifText{f.Line}
		}
	}
	return sarifResult{RuleID: f.Code, Level: severity(f), Message: sarifText{text}, Locations: []sarifLocation{{place}}}
}
