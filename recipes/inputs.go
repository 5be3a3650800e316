package recipes

import (
	"slices"
	"strings"

	"github.com/brickoven/brickoven/recipes/value"
)

// typeFault says how v differs from what the input declares; empty when it does
// not. Texts are accepted where they read as the type, because values from the
// environment and from older recipes are texts.
func typeFault(input Input, v any) string {
	switch input.Type {
	case "number":
		if _, ok := value.Rational(v); !ok {
			return "must be a number, not " + describe(v)
		}
	case "boolean":
		if !isBool(v) {
			return "must be true or false, not " + describe(v)
		}
	case "choice":
		if !slices.Contains(input.Options, value.Text(v)) {
			return "must be one of " + strings.Join(input.Options, ", ") + ", not " + describe(v)
		}
	case "json":
		if text, ok := v.(string); ok {
			if _, err := value.Parse(text); err != nil {
				return "must be JSON, not " + describe(v)
			}
		}
	case "string":
		if v != nil && !value.IsScalar(v) {
			return "must be a text, not " + describe(v)
		}
	}
	return ""
}

func isBool(v any) bool {
	switch v := v.(type) {
	case bool:
		return true
	case string:
		return v == "true" || v == "false" || v == "True" || v == "False"
	}
	return false
}

func describe(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case string:
		return "the text " + quoteShort(value.Text(v))
	case map[string]any, []any, value.Ref:
		return "a " + value.Kind(v)
	}
	return value.Kind(v) + " " + value.Text(v)
}

// Probe looks at the machine for CheckInputs; a nil function skips its rule.
// Relative paths are the caller's to place.
type Probe struct {
	Exists    func(path string) bool
	IsGitRepo func(path string) bool
}

// CheckInputs checks the variables that the caller supplies, and the defaults
// for the others, against inputs: and context_validation:. It returns all faults
// at once, in the order of the file.
func (r *Recipe) CheckInputs(vars map[string]any, probe Probe) Findings {
	defaults := make(map[string]any, len(r.Context))
	for _, v := range r.Context {
		defaults[v.Name] = v.Value
	}
	var found Findings
	for _, input := range r.Inputs {
		if message := input.fault(vars, defaults); message != "" {
			fault := r.doc.findingFor(input.Pos)
			fault.Code, fault.Message, fault.Hint = "bad-input", message, input.hint()
			found = append(found, fault)
		}
	}
	for _, rule := range r.Validation {
		v, given := vars[rule.Name]
		if !given {
			v = defaults[rule.Name]
		}
		if message := rule.fault(v, probe); message != "" {
			fault := r.doc.findingFor(rule.Pos)
			fault.Code, fault.Message = "bad-input", message
			found = append(found, fault)
		}
	}
	return found
}

// fault checks one input. A default that is empty does not count as supplied,
// because recipes write one where the caller must fill in a value.
func (input Input) fault(vars, defaults map[string]any) string {
	v, given := vars[input.Name]
	if !given || v == nil {
		v = input.Default
		if !input.HasDefault {
			v = defaults[input.Name]
		}
		if input.Required && value.Text(v) == "" {
			return "the input " + quoteShort(input.Name) + " is required"
		}
		if v == nil || v == "" {
			return ""
		}
	}
	if fault := typeFault(input, v); fault != "" {
		return "the input " + quoteShort(input.Name) + " " + fault
	}
	return ""
}

func (input Input) hint() string {
	hint := "pass --set " + input.Name + "=…"
	if description := strings.TrimSpace(input.Description); description != "" {
		hint += " (" + description + ")"
	}
	return hint
}

func (rule Validation) fault(v any, probe Probe) string {
	text := strings.TrimSpace(value.Text(v))
	subject := "the variable " + quoteShort(rule.Name)
	switch rule.Rule {
	case "nonempty":
		if text == "" {
			return subject + " must not be empty"
		}
	case "path":
		if text == "" || probe.Exists != nil && !probe.Exists(text) {
			return subject + " must be a path that exists, not " + quoteShort(text)
		}
	case "git_repo":
		if text == "" || probe.IsGitRepo != nil && !probe.IsGitRepo(text) {
			return subject + " must be a git repository, not " + quoteShort(text)
		}
	}
	return ""
}
