package ledger

import (
	"strings"

	"github.com/brickoven/brickoven/recipes/extract"
	"github.com/brickoven/brickoven/recipes/value"
)

// The built-in recipe critic-pass is brief, agent, verdict. Its native steps use
// [BriefFunction] under the name critic-brief and [VerdictFunction] under the
// name critic-verdict.

// BriefFunction assembles a packet from a recipe's variables: critic_diff and
// critic_verification (texts), and optionally critic_scope (a transcript that
// declares the changed paths), critic_rubric (a list of dimensions) and
// critic_baseline (a map of readings). It returns the [Packet] as a value and
// refuses what [Assemble] refuses.
func BriefFunction(in map[string]any) (any, error) {
	e := Exhibits{
		Diff: []byte(value.Text(in["critic_diff"])), Verification: []byte(value.Text(in["critic_verification"])),
		Session: value.Text(in["critic_session"]), Epoch: 1, Iteration: 1,
	}
	if scope := value.Text(in["critic_scope"]); scope != "" {
		e.Scope = []byte(scope)
	}
	if rubric, isList := in["critic_rubric"].([]any); isList && len(rubric) > 0 {
		root, err := readJSON([]byte(value.JSON(rubric)))
		if err != nil {
			return nil, err
		}
		check := contractCheck{commands: true}
		e.Rubric = check.rubric(root, "critic_rubric")
		if err := check.found.refusal(Malformed); err != nil {
			return nil, err
		}
	}
	e.Baseline = (&Ledger{head: head{Contract: Contract{Rubric: e.Rubric}}}).Baseline()
	if given, isMap := in["critic_baseline"].(map[string]any); isMap {
		for name, reading := range given {
			text := value.Text(reading)
			if fault := checkNumber(text); fault != "" {
				return nil, &Refusal{Code: Malformed, Findings: []Finding{{Field: "critic_baseline." + name, Message: fault}}}
			}
			e.Baseline[name] = value.Number(text)
		}
	}
	p, err := Assemble(e)
	if err != nil {
		return nil, err
	}
	return value.From(p), nil
}

// The sources of a verdict of critic-pass.
const (
	SourceCritic       = "critic"
	SourceMissingBrief = "missing_brief"
	SourceMissing      = "missing_verdict"
	SourceUnparseable  = "unparseable_verdict"
	SourceOtherBrief   = "brief_mismatch"
	SourceNoEvidence   = "pass_without_evidence"
)

// VerdictFunction reads the critic's answer (critic_answer) to a packet
// (critic_packet). It never fails: what is missing, unclear, about another
// packet, or a PASS that names neither evidence nor a next improvement, is
// REVISE with a verdict_source that says why. A verdict is one of the five
// words and nothing else; NOT PASS and PASSED are unclear.
func VerdictFunction(in map[string]any) (any, error) {
	packet, _ := in["critic_packet"].(map[string]any)
	id := value.Text(packet["brief_id"])
	if id == "" {
		return verdictOf("REVISE", SourceMissingBrief, id, "assemble a packet before asking the critic", nil), nil
	}
	verdict, source, answer := readVerdict(in["critic_answer"], id)
	next := strings.TrimSpace(textOf(answer["critic_next"]))
	evidence := textsOf(answer["evidence"])
	if verdict == "PASS" && (next == "" || len(evidence) == 0) {
		verdict, source = "REVISE", SourceNoEvidence
	}
	if next == "" {
		next = "ask the critic again; it named no next improvement"
	}
	return verdictOf(verdict, source, id, next, evidence), nil
}

// readVerdict finds the answer's object and decides whether it is a verdict
// about this packet.
func readVerdict(answer any, id string) (verdict Text, source string, object map[string]any) {
	object, isMap := answer.(map[string]any)
	if !isMap {
		text := value.Text(answer)
		if strings.TrimSpace(text) == "" {
			return "REVISE", SourceMissing, nil
		}
		found, ok := extract.Find(text, extract.Options{RequireField: "critic_verdict"})
		object, isMap = found.Value.(map[string]any)
		if !ok || !isMap {
			return "REVISE", SourceUnparseable, nil
		}
	}
	verdict = Text(strings.ToUpper(strings.TrimSpace(textOf(object["critic_verdict"]))))
	switch {
	case !oneOf(CriticVerdicts(), verdict):
		return "REVISE", SourceUnparseable, object
	case textOf(object["critic_brief"]) != id:
		return "REVISE", SourceOtherBrief, object
	}
	return verdict, SourceCritic, object
}

func verdictOf(verdict Text, source, id, next string, evidence []any) map[string]any {
	if evidence == nil {
		evidence = []any{}
	}
	return map[string]any{
		"critic_verdict": string(verdict), "verdict_source": source, "critic_brief": id, "critic_next": next,
		"evidence": evidence,
	}
}

// textOf is the text of a string; any other value is unclear and thus empty.
func textOf(v any) string {
	text, _ := v.(string)
	return text
}

func textsOf(v any) []any {
	items, isList := v.([]any)
	if !isList {
		items = []any{v}
	}
	var texts []any
	for _, item := range items {
		if text := strings.TrimSpace(textOf(item)); text != "" {
			texts = append(texts, text)
		}
	}
	return texts
}
