package expression_test

import (
	"strings"
	"testing"

	"github.com/brickoven/brickoven/recipes/value"
)

func TestAdvice(t *testing.T) {
	t.Parallel()
	defaults := map[string]any{
		"flag": "false", "off": "no", "word": "hello", "zero": value.Number("0"), "really": false,
		"items": []any{}, "config": map[string]any{"flag": "False", "list": []any{}},
	}
	tests := []struct {
		condition string
		want      string // code@offset and a part of the message, one a line; "" for none
	}{
		{"'CONTINUE' in verdict", "substring-test@0 token(verdict) == 'CONTINUE'"},
		{"'continue' in loop_health.verdict.lower()", "substring-test@0 token(loop_health.verdict) == 'CONTINUE'"},
		{"x and 'DONE' not in verdict", "substring-test@6 token(verdict) != 'DONE'"},
		{"not 'DONE' in verdict", "substring-test@4 token(verdict) != 'DONE'"},
		{"verdict contains 'DONE'", "substring-test@0 token(verdict) == 'DONE'"},
		{"x or a.b.strip() contains 'DONE'", "substring-test@5 token(a.b) == 'DONE'"},
		{"'DONE' in '{{verdict}}'", "substring-test@0 token(verdict) == 'DONE'"},
		{"'DONE' in str(verdict)", "substring-test@0 token(verdict) == 'DONE'"},
		{"verdict in ['DONE', 'STUCK']", ""},
		{"'a' in items", ""},
		{"'a' in config.list", ""},
		{"'k' in config", ""},
		{"'a' in verdict.split(',')", ""},
		{"'a' in ['a']", ""},
		{"'' in verdict", ""},
		{"word in verdict", ""},
		{"flag", "bare-text-flag@0 write flag == 'true'"},
		{"not off", `bare-text-flag@4 "no" as its default`},
		{"x and (flag or y)", "bare-text-flag@7 flag"},
		{"config.flag", "bare-text-flag@0 config.flag == 'true'"},
		{"'{{flag}}'", "bare-text-flag@0 flag"},
		{"flag ? 1 : 2", "bare-text-flag@0 flag"},
		{"flag == 'true'", ""},
		{"word", ""},
		{"zero", ""},
		{"really", ""},
		{"unknown", ""},
		{"token(x) == 'Continue'", "token-case@12 write 'CONTINUE'"},
		{"'done ' != token(x)", "token-case@0 write 'DONE'"},
		{"token(x) == 'CONTINUE'", ""},
		{"token(x) == '{{word}}'", ""},
		{"steps.a.count-word > 1", "hyphenated-key@8 spaces around the -"},
		{"steps.my-step.status", ""},
		{"flag and 'x' in y", "bare-text-flag@0 flag\nsubstring-test@9 token(y) == 'X'"},
	}
	for _, test := range tests {
		advice := mustCompile(t, test.condition, "my-step", "step", "word").Advise(defaults)
		var wants []string
		if test.want != "" {
			wants = strings.Split(test.want, "\n")
		}
		if len(advice) != len(wants) {
			t.Errorf("%s: %d remarks, want %d: %v", test.condition, len(advice), len(wants), advice)
			continue
		}
		for i, want := range wants {
			place, part, _ := strings.Cut(want, " ")
			code, offset, _ := strings.Cut(place, "@")
			got := advice[i]
			if got.Code != code || value.Text(value.From(got.Offset)) != offset || !strings.Contains(got.Message, part) {
				t.Errorf("%s: %+v, want %s", test.condition, got, want)
			}
		}
	}
}

func TestAdviceWithoutDefaults(t *testing.T) {
	t.Parallel()
	if advice := mustCompile(t, "flag").Advise(nil); len(advice) != 0 {
		t.Errorf("got %v", advice)
	}
}
