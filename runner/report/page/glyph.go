package page

import (
	"html/template"
	"sync"

	"github.com/brickoven/brickoven/runner/report"
)

// symbols are the shapes of statuses and verdicts. Each differs in form, because
// a colour alone tells nothing to those who do not see it.
const symbols template.HTML = `<svg width="0" height="0" aria-hidden="true" class="symbols">` +
	`<symbol id="g-ok" viewBox="0 0 16 16"><circle cx="8" cy="8" r="7"/><path d="M4.5 8.2l2.4 2.4 4.6-5"/></symbol>` +
	`<symbol id="g-bad" viewBox="0 0 16 16"><rect x="1.5" y="1.5" width="13" height="13" rx="1"/><path d="M5 5l6 6M11 5l-6 6"/></symbol>` +
	`<symbol id="g-warn" viewBox="0 0 16 16"><path class="s" d="M8 1.2l7 13.3H1z"/><path d="M8 6v4.2M8 12v.6"/></symbol>` +
	`<symbol id="g-run" viewBox="0 0 16 16"><path class="s" d="M3 1.5v13l11-6.5z"/></symbol>` +
	`<symbol id="g-stop" viewBox="0 0 16 16"><path class="s" d="M5 1h6l4 4v6l-4 4H5l-4-4V5z"/><path d="M5.5 5v6M10.5 5v6"/></symbol>` +
	`<symbol id="g-none" viewBox="0 0 16 16"><circle class="o" cx="8" cy="8" r="6"/></symbol>` +
	`<symbol id="g-skip" viewBox="0 0 16 16"><path class="o" d="M3 8h10"/></symbol>` +
	`<symbol id="g-next" viewBox="0 0 16 16"><path class="o" d="M1.500 8h12M9 3.500l4.500 4.500-4.500 4.500"/></symbol>` +
	`</svg>`

// form is the shape and the colour of a word, and what it is read as.
type form struct{ shape, tone string }

var forms = sync.OnceValue(func() map[string]form {
	return map[string]form{
		string(report.Completed): {"ok", "ok"}, string(report.Failed): {"bad", "bad"}, string(report.Degraded): {"warn", "warn"},
		string(report.Skipped): {"skip", "none"}, string(report.Running): {"run", "run"}, string(report.Interrupted): {"stop", "warn"},
		string(report.Waiting): {"none", "none"}, string(report.Unreached): {"none", "none"},
		tolerated: {"warn", "warn"},
		// Standings that are no status of a step.
		string(report.Success): {"ok", "ok"}, string(report.Refused): {"bad", "bad"}, string(report.Crashed): {"bad", "bad"},
		string(report.Damaged): {"bad", "bad"}, string(report.NotBegun): {"none", "none"},
		// Verdicts.
		"CONTINUE": {"next", "run"}, "DONE": {"ok", "ok"}, "STUCK": {"stop", "bad"}, unproven: {"warn", "bad"},
	}
})

// tone is the colour of a status, standing or verdict.
func tone(word any) string { return formOf(word).tone }

func formOf(word any) form {
	if f, known := forms()[text(word)]; known {
		return f
	}
	return form{"none", "none"}
}

func text(word any) string {
	switch word := word.(type) {
	case string:
		return word
	case report.Status:
		return string(word)
	case report.Standing:
		return string(word)
	}
	return ""
}

// glyph draws the shape of a word, which is its name for those who listen.
func glyph(word any) template.HTML {
	f := formOf(word)
	return template.HTML(`<svg class="g ` + f.tone + `" role="img" aria-label="` + template.HTMLEscapeString(text(word)) +
		`"><use href="#g-` + f.shape + `"/></svg>`)
}

// verdict is the word that stands for a round: the judge's, or that none was
// heard.
func verdict(r *report.Round) string {
	switch {
	case r.Verdict.Word == "DONE" && r.Check != nil && r.Check.Status == report.Failed:
		return unproven
	case r.Verdict.Word != "":
		return r.Verdict.Word
	case r.Over:
		return "not judged"
	}
	return "running"
}

// unproven is the word for a DONE that the check did not accept.
const unproven = "DONE, but the check is red"

// tolerated is the word for a step whose failure did not stop its recipe.
const tolerated = "tolerated"

// word is the status of a step as its row shows it.
func word(s *report.Step) string {
	if s.Tolerated && s.Status == report.Failed {
		return tolerated
	}
	return string(s.Status)
}
