package verdict_test

import (
	"encoding/json"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/brickoven/brickoven/bricks/verdict"
)

// oracle is a second reading of the contract, with a JSON scan of its own: it
// tries to decode a document at every bracket, takes the last outermost object
// that has loop_verdict, else the last inner one, and looks its token up.
func oracle(text string) string {
	if strings.TrimSpace(text) == "" {
		return "STUCK"
	}
	var outer, inner []any
	for i := 0; i < len(text); i++ {
		if text[i] != '{' && text[i] != '[' {
			continue
		}
		dec := json.NewDecoder(strings.NewReader(text[i:]))
		var v any
		if dec.Decode(&v) != nil {
			continue
		}
		i += int(dec.InputOffset()) - 1
		if object, ok := v.(map[string]any); ok {
			if token, has := object["loop_verdict"]; has {
				outer = append(outer, token)
				continue
			}
		}
		// Inner objects in document order need the raw text again.
		inner = append(inner, innerTokens(text[i-int(dec.InputOffset())+1:i+1])...)
	}
	all := outer
	if len(all) == 0 {
		all = inner
	}
	if len(all) == 0 {
		return "STUCK"
	}
	token, isText := all[len(all)-1].(string)
	if !isText {
		return "STUCK"
	}
	table := map[string]string{
		"CONTINUE": "CONTINUE", "CONTINUING": "CONTINUE", "PROCEED": "CONTINUE", "KEEP_GOING": "CONTINUE", "ANOTHER_ROUND": "CONTINUE", "ITERATE": "CONTINUE",
		"DONE": "DONE", "COMPLETE": "DONE", "COMPLETED": "DONE", "FINISHED": "DONE", "CONVERGED": "DONE", "ADVANCE": "DONE",
	}
	if canonical, ok := table[strings.ToUpper(strings.TrimSpace(token))]; ok {
		return canonical
	}
	return "STUCK"
}

func innerTokens(document string) []any {
	var tokens []any
	for i := 1; i < len(document); i++ {
		switch document[i] {
		case '"':
			for i++; i < len(document) && document[i] != '"'; i++ {
				if document[i] == '\\' {
					i++
				}
			}
		case '{':
			var object map[string]any
			if json.NewDecoder(strings.NewReader(document[i:])).Decode(&object) == nil {
				if token, has := object["loop_verdict"]; has {
					tokens = append(tokens, token)
				}
			}
		}
	}
	return tokens
}

// judgeText draws what judges write: verdicts, drafts, fences, quotes, broken
// objects, and look-alikes of the tokens.
func judgeText() *rapid.Generator[string] {
	token := rapid.SampledFrom([]string{
		`"CONTINUE"`, `"DONE"`, `"STUCK"`, `"continue"`, `" Done "`, `"converged"`, `"ITERATE"`, `"DISCONTINUE"`, `"NOT_DONE"`, `"CONTINUE?"`,
		`"CONTINUE STUCK"`, `""`, `null`, `1`, `["CONTINUE"]`, `{"x":"CONTINUE"}`, `"CON\u0054INUE"`,
	})
	object := rapid.Custom(func(t *rapid.T) string {
		form := rapid.SampledFrom([]string{
			`{"loop_verdict":%}`, `{"loop_verdict":%,"not_converging":["}{"]}`, `{"a":{"loop_verdict":%}}`, `[{"loop_verdict":%}]`,
			`{"verdict":%}`, `{"loop_verdict ":%}`, `{ "moved": [ ] , "loop_verdict" : % }`, `{"x":"{\"loop_verdict\":\"CONTINUE\"}","y":%}`,
		}).Draw(t, "form")
		return strings.Replace(form, "%", token.Draw(t, "token"), 1)
	})
	broken := rapid.SampledFrom([]string{
		`{"loop_verdict":"CONTINUE"`, `{"loop_verdict":CONTINUE}`, `{'loop_verdict':'DONE'}`, `{"loop_verdict":"DONE",}`, `{`, `}`, `[`, `]`, `"`, `\`, `{"`, `":`,
	})
	prose := rapid.SampledFrom([]string{
		"\n", " ", "I would not CONTINUE. ", "CONTINUE\n", "DONE", "[1] ", "it's \"DONE\" ", "```json\n", "\n```\n", "[loop-health-evaluator] ", "é", "\x00",
	})
	return rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(rapid.OneOf(object, broken, prose), 0, 8).Draw(t, "parts"), "")
	})
}

func TestVerdictEqualsAnIndependentOracle(t *testing.T) {
	t.Parallel()
	evidence := moving(t)
	rapid.Check(t, func(t *rapid.T) {
		text := judgeText().Draw(t, "text")
		h, _ := verdict.Resolve(verdict.Question{Evidence: evidence, Assessment: text})
		if want := oracle(text); h.LoopVerdict != want {
			t.Fatalf("%q: got %s from %s, the oracle says %s", text, h.LoopVerdict, h.VerdictSource, want)
		}
	})
}

func FuzzResolveNeverGoesOnWhereTheOracleStops(f *testing.F) {
	for _, seed := range []string{`{"loop_verdict":"CONTINUE"}`, "```json\n{\"loop_verdict\":\"DONE\"}\n```", `{"loop_verdict":"CONTINUE"`, ``} {
		f.Add(seed)
	}
	evidence := moving(f)
	f.Fuzz(func(t *testing.T, text string) {
		h, _ := verdict.Resolve(verdict.Question{Evidence: evidence, Assessment: text})
		if h.LoopVerdict != verdict.Stuck && h.LoopVerdict != oracle(text) {
			t.Errorf("%q: got %s, the oracle says %s", text, h.LoopVerdict, oracle(text))
		}
	})
}
