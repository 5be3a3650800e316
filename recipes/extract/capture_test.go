package extract_test

import (
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/brickoven/brickoven/recipes/extract"
	"github.com/brickoven/brickoven/recipes/value"
)

func TestAnswer(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, stdout string
		options      extract.CaptureOptions
		text, want   string
	}{
		{"prose stays text", "a {\"b\":1}\n", extract.CaptureOptions{}, `a {"b":1}`, `"a {\"b\":1}"`},
		{"a document becomes a value", " {\"b\":1}\n", extract.CaptureOptions{}, `{"b":1}`, `{"b":1}`},
		{"parse_json looks inside", "a {\"b\":1.10}\n", extract.CaptureOptions{ParseJSON: true}, `a {"b":1.10}`, `{"b":1.10}`},
		{"a required field implies parse_json", `{"v":1} {"w":2}`, extract.CaptureOptions{RequireField: "v"}, `{"v":1} {"w":2}`, `{"v":1}`},
		{"NUL and bad bytes are cleaned", "{\"a\":\"\x00b\xff\"}", extract.CaptureOptions{ParseJSON: true}, "{\"a\":\"b\uFFFD\"}", "{\"a\":\"b\uFFFD\"}"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			text, v, err := extract.Answer(tc.stdout, tc.options)
			if err != nil || text != tc.text || value.JSON(v) != tc.want {
				t.Errorf("got %q, %s, %v", text, value.JSON(v), err)
			}
		})
	}
}

func TestAnswerFailsWithReasonAndExcerpt(t *testing.T) {
	t.Parallel()
	long := "begin " + strings.Repeat("é", 1000) + " end"
	for _, tc := range []struct{ stdout, field, reason string }{
		{"\n", "", "empty"},
		{"I could not decide.", "", "holds no JSON"},
		{`{"w":1}`, "v", `the field "v"`},
		{long, "", "holds no JSON"},
	} {
		text, v, err := extract.Answer(tc.stdout, extract.CaptureOptions{ParseJSON: true, RequireField: tc.field})
		var failed *extract.NoAnswerError
		if !errors.As(err, &failed) || !strings.HasPrefix(err.Error(), "parse_json failed") || !strings.Contains(failed.Reason, tc.reason) {
			t.Errorf("%.20q: %v", tc.stdout, err)
			continue
		}
		if text != strings.TrimSpace(tc.stdout) || v != any(text) {
			t.Errorf("%.20q: the raw text is not kept: %v", tc.stdout, v)
		}
		if len(failed.Excerpt) > 420 || !utf8.ValidString(failed.Excerpt) {
			t.Errorf("the excerpt is %q", failed.Excerpt)
		}
	}
}

func schema(t *testing.T, text string) *extract.Schema {
	t.Helper()
	v, err := value.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	s, err := extract.CompileSchema(v)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestSchemaSaysWhichPathIsWrong(t *testing.T) {
	t.Parallel()
	s := schema(t, `{"type":"object","required":["v"],"properties":{
		"v":{"enum":["A","B"]},"list":{"items":{"type":"integer"}},"a/b~c":{"$ref":"#/$defs/text"}},
		"$defs":{"text":{"type":"string"}}}`)
	for _, tc := range []struct {
		text string
		want []string
	}{
		{`{"v":"A","list":[1,2.0,12345678901234567890]}`, nil},
		{`{"v":"C"}`, []string{"/v"}},
		{`{}`, []string{""}},
		{`[]`, []string{""}},
		{`{"v":"A","list":[1,"x",1.5]}`, []string{"/list/1", "/list/2"}},
		{`{"v":"A","a/b~c":1}`, []string{"/a~1b~0c"}},
	} {
		v, err := value.Parse(tc.text)
		if err != nil {
			t.Fatal(err)
		}
		err = s.Check(v)
		var failed *extract.SchemaError
		if tc.want == nil {
			if err != nil {
				t.Errorf("%s: %v", tc.text, err)
			}
			continue
		}
		if !errors.As(err, &failed) || len(failed.Faults) != len(tc.want) {
			t.Errorf("%s: %v", tc.text, err)
			continue
		}
		for i, path := range tc.want {
			if failed.Faults[i].Path != path || failed.Faults[i].Message == "" || !strings.Contains(err.Error(), path) {
				t.Errorf("%s: fault %d is %v", tc.text, i, failed.Faults[i])
			}
		}
	}
}

func TestSchemaFailureKeepsTheText(t *testing.T) {
	t.Parallel()
	s := schema(t, `{"type":"object"}`)
	text, v, err := extract.Answer("5", extract.CaptureOptions{Schema: s})
	var failed *extract.SchemaError
	if !errors.As(err, &failed) || text != "5" || v != any("5") {
		t.Errorf("got %q, %v, %v", text, v, err)
	}
}

func TestSchemaLoadsNothing(t *testing.T) {
	t.Parallel()
	for _, ref := range []string{"http://127.0.0.1:1/x.json", "https://example.com/x", "file:///etc/hostname", "other.json"} {
		_, err := extract.CompileSchema(map[string]any{"$ref": ref})
		if err == nil || !strings.Contains(err.Error(), "cannot refer to another document") {
			t.Errorf("$ref %s: %v", ref, err)
		}
	}
}

func TestSchemaThatIsNone(t *testing.T) {
	t.Parallel()
	for _, v := range []any{"text", map[string]any{"type": "objekt"}, map[string]any{"pattern": "("}, nil} {
		if _, err := extract.CompileSchema(v); err == nil {
			t.Errorf("%v compiles", v)
		}
	}
}
