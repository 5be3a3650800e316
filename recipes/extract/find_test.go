package extract_test

import (
	"strings"
	"testing"

	"github.com/brickoven/brickoven/recipes/extract"
	"github.com/brickoven/brickoven/recipes/value"
)

func TestFind(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat("[", extract.MaxDepth) + strings.Repeat("]", extract.MaxDepth)
	for _, tc := range []struct {
		name, text, field string
		want              string // compact JSON; empty: nothing is found
		strategy          string
	}{
		{name: "the whole text", text: " \n{\"a\": 1}\r\n", want: `{"a":1}`, strategy: extract.Whole},
		{name: "a scalar as the whole text", text: " 1.10 ", want: `1.10`, strategy: extract.Whole},
		{name: "a text as the whole text", text: `"x {} y"`, want: `"x {} y"`, strategy: extract.Whole},
		{name: "numbers stay literal", text: `x {"id":12345678901234567,"f":1.10,"e":1E5}`, want: `{"e":1E5,"f":1.10,"id":12345678901234567}`, strategy: extract.Object},
		{name: "the last fence that parses", text: "```json\n{\"a\":1}\n```\n```\n{\"a\":2}\n```\n```sh\nls\n```\n{\"a\":3}", want: `{"a":2}`, strategy: extract.Fenced},
		{name: "a fence with carriage returns", text: "x\r\n```json\r\n{\"a\":1}\r\n```\r\ny", want: `{"a":1}`, strategy: extract.Fenced},
		{name: "a fence of tildes", text: "x\n~~~ json title\n[1]\n~~~~\n", want: `[1]`, strategy: extract.Fenced},
		{name: "an indented fence", text: "- x\n    ```\n    {\"a\":1}\n    ```\n", want: `{"a":1}`, strategy: extract.Fenced},
		{name: "a longer fence holds a shorter one", text: "````\n```\n{\"a\":1}\n```\n````\n", want: `{"a":1}`, strategy: extract.Object},
		{name: "a fence without an end", text: "x\n```json\n{\"a\":1}\n", want: `{"a":1}`, strategy: extract.Fenced},
		{name: "a fence in a JSON text is none", text: "x {\"t\":\"```\\n{}\\n```\"} y", want: "{\"t\":\"```\\n{}\\n```\"}", strategy: extract.Object},
		{name: "backticks in a line are no fence", text: "x ```{\"a\":1}``` {\"a\":2}", want: `{"a":2}`, strategy: extract.Object},
		{name: "a fence that does not parse", text: "```\nnot json\n```\nthen {\"a\":1}", want: `{"a":1}`, strategy: extract.Object},
		{name: "the last object of the prose", text: `Draft: {"v":"CONTINUE"} final: {"v":"STUCK"} done`, want: `{"v":"STUCK"}`, strategy: extract.Object},
		{name: "nested objects are no answers", text: `x {"a":{"b":1}} y`, want: `{"a":{"b":1}}`, strategy: extract.Object},
		{name: "a list that begins a line", text: "x\n  [1, 2]\ny", want: `[1,2]`, strategy: extract.List},
		{name: "a list inside of a line", text: `{"a":1} as said [1, 2]`, want: `{"a":1}`, strategy: extract.Object},
		{name: "a footnote is no answer", text: "{\"a\":1} as shown.\n[1] See there.", want: `{"a":1}`, strategy: extract.Object},
		{name: "a list of one number alone is an answer", text: "x\n[1]\n", want: `[1]`, strategy: extract.List},
		{name: "an apostrophe before", text: `It's here: {"a":"it's"}`, want: `{"a":"it's"}`, strategy: extract.Object},
		{name: "an odd quote before", text: `say " then {"a":1}`, want: `{"a":1}`, strategy: extract.Object},
		{name: "an unbalanced brace before", text: `x { y {"a":1}`, want: `{"a":1}`, strategy: extract.Object},
		{name: "an open brace and quote before", text: `x { "y {"a":1}`, want: `{"a":1}`, strategy: extract.Object},
		{name: "a quoted object", text: `it printed "{"a":1}".`, want: `{"a":1}`, strategy: extract.Object},
		{name: "braces in texts", text: `x {"a":"} {","b":"\"}"} y`, want: `{"a":"} {","b":"\"}"}`, strategy: extract.Object},
		{name: "objects in a broken one", text: `x {"a":{"b":1}, oops`, want: `{"b":1}`, strategy: extract.Object},
		{name: "repeated keys", text: `x {"a":1,"a":2}`, want: `{"a":2}`, strategy: extract.Object},
		{name: "bytes that are not UTF-8", text: "\xff{\"a\":\"\xff\"}\xfe", want: "{\"a\":\"\uFFFD\"}", strategy: extract.Object},
		{name: "as deep as allowed", text: "x\n" + deep, want: deep, strategy: extract.List},
		{name: "too deep does not hide what follows", text: "x " + strings.Repeat(`{"a":`, 5000) + ` {"b":1}`, want: `{"b":1}`, strategy: extract.Object},
		{name: "nothing", text: "no answer { here ]"},
		{name: "an empty text"},
		{name: "leading zeros are no JSON", text: `x {"a":007}`},
		{name: "a raw line break in a text is no JSON", text: "x {\"a\":\"b\nc\"}"},

		{name: "the field in the last object that has it", field: "v", text: `{"v":1} {"v":2} {"w":3}`, want: `{"v":2}`, strategy: extract.Object},
		{name: "the field beats a fence", field: "v", text: "```json\n{\"v\":\"quoted\"}\n```\nso {\"v\":\"real\"}", want: `{"v":"real"}`, strategy: extract.Object},
		{name: "the field in a fence", field: "v", text: "{\"v\":1}\n```json\n{\"v\":2}\n```\n", want: `{"v":2}`, strategy: extract.Object},
		{name: "a top-level object beats a later nested one", field: "v", text: `{"v":1} {"x":{"v":2}}`, want: `{"v":1}`, strategy: extract.Object},
		{name: "a nested object where no other has it", field: "v", text: `{"x":{"v":1}} {"y":[{"v":2},{"v":3}]} {}`, want: `{"v":3}`, strategy: extract.Object},
		{name: "the outer one of nested objects", field: "v", text: `[{"v":1,"x":{"v":2}}]`, want: `{"v":1,"x":{"v":2}}`, strategy: extract.Object},
		{name: "the whole text with the field", field: "v", text: ` {"v":null} `, want: `{"v":null}`, strategy: extract.Whole},
		{name: "an escaped key", field: "loop", text: `x {"l\u006fop":1}`, want: `{"loop":1}`, strategy: extract.Object},
		{name: "a value is no key", field: "v", text: `x {"a":"v"} ["v"]`},
		{name: "a key inside is not the object's own", field: "v", text: `{"v":1} {"x":"\"v\":1"}`, want: `{"v":1}`, strategy: extract.Object},
		{name: "no object with the field", field: "v", text: `{"w":1}`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			got, found := extract.Find(tc.text, extract.Options{RequireField: tc.field})
			if found != (tc.want != "") {
				t.Fatalf("found = %v, value %s", found, value.JSON(got.Value))
			}
			if !found {
				return
			}
			if text := value.JSON(got.Value); text != tc.want || got.Strategy != tc.strategy {
				t.Errorf("got %s by %s, want %s by %s", text, got.Strategy, tc.want, tc.strategy)
			}
			again, err := value.Parse(tc.text[got.Start:got.End])
			if err != nil || value.JSON(again) != tc.want {
				t.Errorf("the range holds %q", tc.text[got.Start:got.End])
			}
		})
	}
}
