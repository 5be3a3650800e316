package recipes

import "slices"

// advice collects the remarks on conditions and commands that work, but perhaps
// not as meant.
func (r *Recipe) advice() Findings {
	defaults := make(map[string]any, len(r.Context))
	for _, v := range r.Context {
		defaults[v.Name] = v.Value
	}
	var found Findings
	remark := func(f *field, offset int, code, message string) {
		finding := f.spot.finding(offset, code, message)
		finding.Warning = true
		found = append(found, finding)
	}
	fields := slices.Clone(r.fields)
	for _, s := range r.allSteps() {
		fields = append(fields, s.fields...)
	}
	for _, f := range fields {
		if f.condition != nil {
			for _, advice := range f.condition.Advise(defaults) {
				remark(f, advice.Offset, advice.Code, advice.Message)
			}
			if len(f.condition.Names()) == 0 && neverTrue(f) {
				remark(f, 0, "never-runs", "the condition is always false; the step never runs")
			}
		}
		if f.command != nil && f.command.Script != nil {
			for _, note := range f.command.Script.Notes() {
				remark(f, f.spot.offset(note.Line, note.Column), note.Code, note.Message)
			}
		}
	}
	return found
}

func neverTrue(f *field) bool {
	ok, _, err := f.condition.Test(func(string) (any, bool) { return nil, false })
	return err == nil && !ok
}
