package verdict

import (
	"strings"

	"github.com/brickoven/brickoven/bricks/evidence"
	"github.com/brickoven/brickoven/recipes/extract"
	"github.com/brickoven/brickoven/recipes/value"
)

// Source says where a verdict came from, so that a forced STUCK is always
// attributable.
type Source string

// The sources of a verdict, in the order in which they are tried.
const (
	TerminalPolicyRefusal Source = "terminal_policy_refusal"
	MissingVerdict        Source = "missing_verdict"
	Evaluator             Source = "evaluator"
	EvaluatorAltKey       Source = "evaluator_alt_key"     // loop_accept: loose only
	EvaluatorProseToken   Source = "evaluator_prose_token" // loop_accept: loose only
	UnparseableVerdict    Source = "unparseable_verdict"
	// BuiltInRules replaces Evaluator where the built-in judge gave the answer.
	BuiltInRules Source = "rules"
	// The last two are a CONTINUE or DONE that loop_require_evidence overruled.
	EvidenceContradiction Source = "evidence_contradiction"
	DoneWithoutEvidence   Source = "done_without_evidence"
)

// Question is what a verdict is resolved from.
type Question struct {
	// Evidence is the loop_evidence value. Anything but a map whose
	// terminal_refusal is the text false counts as a terminal refusal.
	Evidence any
	// Assessment is the judge's answer as text; blank means there was none.
	Assessment string
	LoopName   string
	// Accept is "loose" to read also the key verdict and a token in prose.
	Accept string
	// RequireEvidence turns a verdict that the evidence contradicts into STUCK.
	RequireEvidence bool
	// GoalMet is the caller's own goal signal: "true", "false", or empty where
	// the caller has none.
	GoalMet string
}

// Health is the loop_health object.
type Health struct {
	LoopVerdict         string   `json:"loop_verdict"`
	VerdictSource       Source   `json:"verdict_source"`
	LoopName            string   `json:"loop_name"`
	NotConverging       []string `json:"not_converging"`
	Moved               []string `json:"moved"`
	RecommendedAction   string   `json:"recommended_action"`
	ContradictsEvidence string   `json:"contradicts_evidence,omitempty"` // "true" or absent
}

// JSON is the object as one line of JSON.
func (h Health) JSON() string { return value.JSON(h) }

// defaultName stands in for a loop without a name.
const defaultName = "unnamed-loop"

// Resolve answers the question. Warnings are texts for people, without the
// bricks' tag.
func Resolve(q Question) (h Health, warnings []string) {
	h = q.answer()
	if name := clean(q.LoopName); name != "" {
		h.LoopName = name
	} else {
		h.LoopName = defaultName
	}
	if h.NotConverging == nil {
		h.NotConverging = []string{}
	}
	if h.Moved == nil {
		h.Moved = []string{}
	}
	found := q.contradiction(h.LoopVerdict)
	if found == nil {
		return h, warnings
	}
	h.ContradictsEvidence = "true"
	warnings = append(warnings, "WARNING: the verdict "+h.LoopVerdict+" contradicts the evidence: "+found.why)
	if q.RequireEvidence {
		h.LoopVerdict = Stuck
		h.VerdictSource = found.source
		h.NotConverging = append([]string{own(found.why)}, h.NotConverging...)
	}
	return h, warnings
}

// answer tries the sources in their order.
func (q Question) answer() Health {
	if why, terminal := terminalReason(q.Evidence); terminal {
		return q.forced(TerminalPolicyRefusal, "terminal refusal: "+why,
			"Do not retry and do not raise the guard's ceiling; report the refusal.")
	}
	if strings.TrimSpace(q.Assessment) == "" {
		return q.forced(MissingVerdict, "the judge gave no answer", "Find out why the judge gave no answer.")
	}
	if object, ok := lastObject(q.Assessment, "loop_verdict"); ok {
		h := spoken(object, "loop_verdict", Evaluator)
		if value.JSON(object) == Rules(q.Evidence, q.GoalMet) {
			h.VerdictSource = BuiltInRules
		}
		return h
	}
	if q.Accept == "loose" {
		if object, ok := lastObject(q.Assessment, "verdict"); ok {
			return spoken(object, "verdict", EvaluatorAltKey)
		}
		if token, ok := proseToken(q.Assessment); ok {
			return Health{LoopVerdict: token, VerdictSource: EvaluatorProseToken}
		}
	}
	return q.forced(UnparseableVerdict, "the judge's answer holds no loop_verdict",
		"Read the judge's answer; it must end with one JSON object that carries loop_verdict.")
}

// terminalReason fails safe: evidence that cannot be read is never taken for
// "the guard did not fire".
func terminalReason(ev any) (why string, terminal bool) {
	object, ok := ev.(map[string]any)
	if !ok {
		return "the evidence cannot be read", true
	}
	switch value.Text(object["terminal_refusal"]) {
	case "false":
		return "", false
	case "true":
		if why = clean(value.Text(object["terminal_reason"])); why == "" {
			why = "no reason given"
		}
		return why, true
	}
	return "the evidence does not say whether a guard refused", true
}

func lastObject(text, field string) (object map[string]any, ok bool) {
	found, ok := extract.Find(text, extract.Options{RequireField: field})
	if !ok {
		return nil, false
	}
	object, ok = found.Value.(map[string]any)
	return object, ok
}

// spoken reads an object of the judge. Only a string can be a verdict: null, a
// list or a number is STUCK.
func spoken(object map[string]any, field string, source Source) Health {
	token, isText := object[field].(string)
	h := Health{
		LoopVerdict:       Stuck,
		VerdictSource:     source,
		NotConverging:     texts(object["not_converging"]),
		Moved:             texts(object["moved"]),
		RecommendedAction: clip(clean(value.Text(object["recommended_action"])), maxText),
	}
	if isText {
		h.LoopVerdict = NormaliseLoop(token)
	}
	return h
}

// forced is a STUCK that no judge spoke; what was measured still says what does
// not converge.
func (q Question) forced(source Source, why, action string) Health {
	h := Health{LoopVerdict: Stuck, VerdictSource: source, NotConverging: []string{own(why)}, RecommendedAction: own(action)}
	for _, sign := range factsOf(q.Evidence).standstill() {
		h.NotConverging = append(h.NotConverging, own(sign))
	}
	return h
}

// own marks a text as written by the bricks, so that the collector passes over
// it when it comes back in a history.
func own(text string) string { return evidence.Tag + " " + text }

// maxItems bounds the lists that come from a judge.
const maxItems = 50

// texts reads a list of the judge as texts; a single value counts as a list of
// one, and blank items are dropped.
func texts(v any) []string {
	list, ok := v.([]any)
	if !ok {
		list = []any{v}
	}
	out := []string{}
	for _, item := range list {
		if text := clip(clean(value.Text(item)), maxText); text != "" && len(out) < maxItems {
			out = append(out, text)
		}
	}
	return out
}
