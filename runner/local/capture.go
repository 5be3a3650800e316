package local

import (
	"strings"

	"github.com/brickoven/brickoven/recipes/value"
	"github.com/brickoven/brickoven/runner/process"
	"github.com/brickoven/brickoven/runner/step"
)

// output is what a step printed.
type output struct {
	text      string
	truncated bool
	place     *process.Place // where it lies already; nil: nowhere yet
}

// capture makes text and value of what a step printed. JSON is looked for only
// where the step succeeded.
func (m *Machine) capture(a *step.Action, out output, ok bool) step.Result {
	res := step.Result{OK: ok, Truncated: out.truncated}
	clean, changed := value.Clean(out.text)
	if changed {
		res.Warnings = append(res.Warnings, "the output holds NUL bytes or is not UTF-8; its variable has it cleaned, the log as it was")
	}
	text, v := value.Capture(clean)
	if ok && a.Def.ParseJSON {
		answer, err := m.answer(a, text)
		if err != nil {
			res.OK, res.Cause, res.Error = false, step.CauseJSON, err.Error()
		} else {
			v, text = answer, value.JSON(answer)
			out.place = nil
		}
	}
	if changed || out.truncated {
		out.place = nil
	}
	var err error
	if res.Text, err = m.keepText(a, text, out); err != nil {
		return refuse(step.CauseState, err)
	}
	res.Value = v
	if ref, large := res.Text.(value.Ref); large {
		_, isText := v.(string)
		ref.JSON = !isText
		res.Value = ref
	}
	return res
}

// keepText gives the text itself, or a reference to where it lies in the spool
// already.
func (m *Machine) keepText(a *step.Action, text string, out output) (any, error) {
	if len(text) <= value.MaxInline {
		return text, nil
	}
	if out.place == nil {
		return m.Store.put(a.ID, text, false)
	}
	// What was trimmed in front is white space, so the text begins where its
	// first character occurs first.
	place := *out.place
	place.Offset += int64(strings.Index(out.text, text[:1]))
	place.Length = int64(len(text))
	return value.Ref{Hash: Digest(text), Size: place.Length, Place: place.String()}, nil
}
