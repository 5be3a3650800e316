package ledger

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/brickoven/brickoven/recipes/value"
)

func packetOf(t *testing.T) map[string]any {
	t.Helper()
	v, err := BriefFunction(map[string]any{"critic_diff": oneFile, "critic_verification": "ok", "critic_scope": "a.go\n"})
	if err != nil {
		t.Fatal(err)
	}
	packet, ok := v.(map[string]any)
	if !ok {
		t.Fatalf("got %T", v)
	}
	return packet
}

func TestBriefFunctionAssemblesAPacket(t *testing.T) {
	t.Parallel()
	packet := packetOf(t)
	scope, _ := packet["scope"].(map[string]any)
	if packet["brief_id"] == "" || scope["provenance"] != Verified {
		t.Errorf("got %v", packet)
	}
	rubric := value.From(contract(t).Rubric)
	v, err := BriefFunction(map[string]any{"critic_diff": "d", "critic_verification": "v", "critic_rubric": rubric,
		"critic_baseline": map[string]any{"coverage": value.Number("65")}})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]any{"coverage": value.Number("65"), "failing-tests": value.Number("4")}
	if diff := cmp.Diff(want, v.(map[string]any)["baseline"]); diff != "" {
		t.Error(diff)
	}
	for _, in := range []map[string]any{
		{}, {"critic_diff": "d"}, {"critic_diff": oneFile, "critic_verification": "v", "critic_scope": "b.go"},
		{"critic_diff": "d", "critic_verification": "v", "critic_rubric": []any{"x"}},
		{"critic_diff": "d", "critic_verification": "v", "critic_baseline": map[string]any{"x": "nan"}},
	} {
		if _, err := BriefFunction(in); err == nil {
			t.Errorf("%v is accepted", in)
		}
	}
}

func TestAnUnclearVerdictIsREVISEAndNeverPASS(t *testing.T) {
	t.Parallel()
	packet := packetOf(t)
	id := value.Text(packet["brief_id"])
	full := func(word string) string {
		return `I looked. {"critic_verdict":"` + word + `","critic_brief":"` + id + `","critic_next":"n","evidence":["line 3"]}`
	}
	for _, test := range []struct {
		name         string
		answer       any
		want, source string
	}{
		{"a clear PASS", full("PASS"), "PASS", SourceCritic},
		{"lower case", full(" pass "), "PASS", SourceCritic},
		{"FAIL", full("FAIL"), "FAIL", SourceCritic},
		{"REVERT", full("REVERT"), "REVERT", SourceCritic},
		{"ESCALATE", full("ESCALATE"), "ESCALATE", SourceCritic},
		{"the last of two", full("PASS") + "\n" + full("FAIL"), "FAIL", SourceCritic},
		{"an object", map[string]any{"critic_verdict": "FAIL", "critic_brief": id}, "FAIL", SourceCritic},
		{"nothing", "", "REVISE", SourceMissing},
		{"null", nil, "REVISE", SourceMissing},
		{"prose", "PASS", "REVISE", SourceUnparseable},
		{"a word that holds it", full("PASSED"), "REVISE", SourceUnparseable},
		{"a denial", full("NOT PASS"), "REVISE", SourceUnparseable},
		{"a choice", full("PASS or FAIL"), "REVISE", SourceUnparseable},
		{"no text", map[string]any{"critic_verdict": true, "critic_brief": id}, "REVISE", SourceUnparseable},
		{"another packet", `{"critic_verdict":"PASS","critic_brief":"0123456789abcdef","critic_next":"n","evidence":["e"]}`, "REVISE", SourceOtherBrief},
		{"no packet", `{"critic_verdict":"PASS","critic_next":"n","evidence":["e"]}`, "REVISE", SourceOtherBrief},
		{"no evidence", `{"critic_verdict":"PASS","critic_brief":"` + id + `","critic_next":"n","evidence":[" "]}`, "REVISE", SourceNoEvidence},
		{"no next improvement", `{"critic_verdict":"PASS","critic_brief":"` + id + `","evidence":["e"]}`, "REVISE", SourceNoEvidence},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			v, err := VerdictFunction(map[string]any{"critic_packet": packet, "critic_answer": test.answer})
			got, _ := v.(map[string]any)
			if err != nil || got["critic_verdict"] != test.want || got["verdict_source"] != test.source {
				t.Errorf("got %v, %v; want %s from %s", got, err, test.want, test.source)
			}
			if got["critic_next"] == "" || got["critic_brief"] != id {
				t.Errorf("the verdict can not be recorded: %v", got)
			}
		})
	}
	for _, packet := range []any{nil, "text", map[string]any{}} {
		v, err := VerdictFunction(map[string]any{"critic_packet": packet, "critic_answer": full("PASS")})
		if got, _ := v.(map[string]any); err != nil || got["critic_verdict"] != "REVISE" || got["verdict_source"] != SourceMissingBrief {
			t.Errorf("got %v, %v", v, err)
		}
	}
}
