package agent

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/brickoven/brickoven/recipes/value"
	"github.com/google/go-cmp/cmp"
)

func settings(t *testing.T, texts ...string) (*Settings, error) {
	t.Helper()
	var layers []map[string]any
	for _, text := range texts {
		v, err := value.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		layers = append(layers, v.(map[string]any))
	}
	return ParseSettings(layers...)
}

func TestSettingsHaveDefaults(t *testing.T) {
	t.Parallel()
	s, err := settings(t)
	if err != nil {
		t.Fatal(err)
	}
	if s.Retry != (Retry{5, time.Minute, 10 * time.Minute}) {
		t.Errorf("%+v", s.Retry)
	}
	if s.OnQuota != (Quota{QuotaFail, 0, 12 * time.Hour, 30 * time.Minute, 30 * time.Second}) {
		t.Errorf("%+v", s.OnQuota)
	}
	if d, ok := s.Find("codex"); !ok || d.Name != "codex" || s.Inherits(d) {
		t.Errorf("%v %v", d, ok)
	}
	if want := []string{"aider", "amp", "claude", "codex", "copilot", "gemini", "goose", "opencode"}; !slices.Equal(s.Names(), want) {
		t.Errorf("%q", s.Names())
	}
}

func TestALaterLayerWins(t *testing.T) {
	t.Parallel()
	s, err := settings(t,
		`{"default":"claude","retry":{"attempts":3,"delay":"5s"},"on_quota":{"wait":"2h","jitter":0},"inherit_user_config":true,"permission":"edit","claude":{"args":["--effort","low"]}}`,
		`{"default":"mine","retry":{"max_delay":"1h"},"on_quota":{"wait":"until_reset","max_wait":"1h"},"mine":{"extends":"claude","env":{"B":"2","A":1},"inherit_user_config":false}}`)
	if err != nil {
		t.Fatal(err)
	}
	if s.Default != "mine" || s.Permission != "edit" || s.Retry != (Retry{3, 5 * time.Second, time.Hour}) {
		t.Errorf("%+v", s)
	}
	if s.OnQuota != (Quota{UntilReset, 2 * time.Hour, time.Hour, 30 * time.Minute, 0}) {
		t.Errorf("%+v", s.OnQuota)
	}
	mine, _ := s.Find("mine")
	claude, _ := s.Find("claude")
	if !slices.Equal(mine.Args, []string{"--effort", "low"}) || !slices.Equal(mine.Env, []string{"A=1", "B=2"}) || mine.Result.Format != "claude" {
		t.Errorf("%+v", mine)
	}
	if s.Inherits(mine) || !s.Inherits(claude) || len(claude.Env) > 0 {
		t.Errorf("a definition that extends another must leave it alone: %+v", claude)
	}
}

func TestAFixedWaitIsADuration(t *testing.T) {
	t.Parallel()
	s, err := settings(t, `{"on_quota":{"wait":"90m"}}`)
	if err != nil || s.OnQuota.Mode != Fixed || s.OnQuota.For != 90*time.Minute {
		t.Errorf("%v %+v", err, s)
	}
	if s, err := settings(t, `{"on_quota":"fail"}`); err != nil || s.OnQuota.Mode != QuotaFail {
		t.Errorf("%v %+v", err, s)
	}
}

func TestACustomAgent(t *testing.T) {
	t.Parallel()
	s, err := settings(t, `{"mine":{"command":["mine","{model}","--json"],"model":"--use {}","system":["--sys","{}"],
		"result":"json","answer":"out.text","error":"bad","message":"bad.why","conversation":"id",
		"usage":{"input_tokens":"use.in","cost_usd":"use.usd","turns":"use.turns"},
		"permission":"read_only","permissions":{"read-only":["--safe"]}}}`)
	if err != nil {
		t.Fatal(err)
	}
	for bad, want := range map[string]Status{"null": OK, "false": OK, `""`: OK, "true": Failed, `{"why":"no"}`: Failed} {
		d, _ := s.Find("mine")
		d = d.clone()
		req := fakedBy(t, d, "document")
		req.Env, req.Model = append(req.Env, "FAKE_BAD="+bad), "big"
		a := call(t, req)
		if a.Status != want {
			t.Errorf("error %s: %s, %s", bad, a.Status, a.Message)
			continue
		}
		if a.Text != "you said: what is it?" || a.Conversation != "c9" {
			t.Errorf("%q, conversation %q", a.Text, a.Conversation)
		}
		three := int64(3)
		if diff := cmp.Diff(Usage{InputTokens: &three}, a.Usage); diff != "" || len(a.Remarks) != 1 {
			t.Errorf("a negative cost is unknown, with a remark: %s %q", diff, a.Remarks)
		}
		if bad == `{"why":"no"}` && !strings.HasPrefix(a.Message, "no\n") {
			t.Errorf("%q", a.Message)
		}
	}
	d, _ := s.Find("mine")
	c, err := build(Request{Agent: d, Model: "big"})
	if want := []string{"mine", "--use", "big", "--json", "--safe", "--sys", Note}; err != nil || !slices.Equal(c.argv[1:], want[1:]) {
		t.Errorf("%v %q", err, c.argv)
	}
}

func TestSettingsThatAreWrong(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{"retry":{"attempt":3}}`:                                        "agents.retry.attempt: is not known here; there are attempts, delay, max_delay",
		`{"retry":{"attempts":0}}`:                                       "agents.retry.attempts: 0 is no count from 1 to 1000",
		`{"retry":{"delay":"soon"}}`:                                     `agents.retry.delay: "soon" is no duration; write 90s, 10m or 2h`,
		`{"retry":3}`:                                                    "agents.retry: is a number, not a map",
		`{"on_quota":{"wait":"ever"}}`:                                   `agents.on_quota.wait: "ever" is no duration; write 90s, 10m or 2h`,
		`{"inherit_user_config":"yes"}`:                                  "agents.inherit_user_config: is a string, not true or false",
		`{"permission":"all"}`:                                           `agents.permission: "all" is none of default, read-only, edit, full`,
		`{"x":{"args":["a"]}}`:                                           "agents.x.command: is missing",
		`{"x":{"extends":"claud"}}`:                                      `agents.x.extends: there is no agent "claud"; there are aider, amp, claude, codex, copilot, gemini, goose, opencode`,
		`{"x":{"command":"a 'b c'"}}`:                                    "agents.x.command: needs a shell to be read: write it as a list of arguments",
		`{"x":{"command":["a",{}]}}`:                                     "agents.x.command[1]: is a map, not a text",
		`{"x":{"command":["a"],"prompt":"pipe"}}`:                        `agents.x.prompt: "pipe" is none of stdin, file, arg`,
		`{"x":{"command":["a"],"answer":"b"}}`:                           "agents.x.answer: is a path into a JSON document and needs result: json",
		`{"x":{"command":["a"],"result":"json","answer":"a..b"}}`:        `agents.x.answer: "a..b" is no path such as usage.input or choices[0].text`,
		`{"x":{"command":["a"],"env":{"A=B":"1"}}}`:                      "agents.x.env.A=B: is no name of a variable",
		`{"x":{"command":["a"],"usage":{"tokens":"a"},"result":"json"}}`: "agents.x.usage.tokens: is not known here; there are input_tokens, output_tokens, cached_tokens, cost_usd, turns, duration_ms",
	} {
		_, err := settings(t, text)
		if _, ok := errors.AsType[*SettingError](err); !ok || err.Error() != want {
			t.Errorf("%s\n got %v\nwant %s", text, err, want)
		}
	}
}

func TestUsageThatIsNoNumberIsUnknown(t *testing.T) {
	t.Parallel()
	for text, usable := range map[string]bool{
		"0.5": true, "0": true, `"0.25"`: true, "-0.01": false, "1e999": false, `"NaN"`: false, `"-Inf"`: false, `"cheap"`: false, "true": false, "{}": false,
	} {
		v, err := value.Parse(text)
		if err != nil {
			v = json.Number(text)
		}
		var m meter
		m.cost("cost", v)
		if (m.usage.CostUSD != nil) != usable || (len(m.remarks) == 0) != usable {
			t.Errorf("%s: %v %q", text, m.usage.CostUSD, m.remarks)
		}
	}
	var m meter
	m.count(&m.usage.Turns, "turns", json.Number("1.5"))
	m.cost("cost", nil)
	if m.usage.Known() || len(m.remarks) != 1 {
		t.Errorf("half a turn is refused, what is not there is unknown without a remark: %+v", m)
	}
}

func TestUsagesAddWhatIsKnown(t *testing.T) {
	t.Parallel()
	two, three, five, cost := int64(2), int64(3), int64(5), 0.5
	got := Usage{InputTokens: &two, CostUSD: &cost}.Add(Usage{InputTokens: &three, OutputTokens: &three})
	if diff := cmp.Diff(Usage{InputTokens: &five, OutputTokens: &three, CostUSD: &cost}, got); diff != "" {
		t.Error(diff)
	}
}
