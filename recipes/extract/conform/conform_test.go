package conform_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/brickoven/brickoven/recipes/extract/conform"
	"github.com/brickoven/brickoven/recipes/value"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"pgregory.net/rapid"
)

func parse(t interface{ Fatal(...any) }, text string) any {
	v, err := value.Parse(text)
	if err != nil {
		t.Fatal(text, err)
	}
	return v
}

func TestFaultsNameThePlaceAndWhatIsWrong(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ schema, value, want string }{
		{`{"type":"object","required":["a","b"]}`, `{}`, `: missing properties 'a', 'b'`},
		{`{"properties":{"a":{"enum":["x",1,null]}}}`, `{"a":"y"}`, `/a: value must be one of 'x', 1, null`},
		{`{"items":{"type":["integer","null"]}}`, `[1,2.0,null,"x",1.5]`, `/3: got string, want integer or null; /4: got number, want integer or null`},
		{`{"additionalProperties":false,"properties":{"a":true}}`, `{"a":1,"b":2}`, `: additional properties 'b' not allowed`},
		{`{"anyOf":[{"type":"string"},{"minimum":5}]}`, `3`, `: got number, want string; : minimum: got 3, want 5`},
		{`{"oneOf":[{"minimum":1},{"minimum":2}]}`, `3`, `: 'oneOf' failed, subschemas 0, 1 matched`},
		{`{"not":{"type":"string"}}`, `"x"`, `: 'not' failed`},
		{`{"if":{"required":["a"]},"then":{"required":["b"]},"else":{"required":["c"]}}`, `{"a":1}`, `: missing property 'b'`},
		{`{"uniqueItems":true}`, `[{"a":1,"b":2},{"b":2.0,"a":1e0}]`, `: items at 0 and 1 are equal`},
		{`{"contains":{"type":"string"},"maxContains":1}`, `["a","b"]`, `: max 1 items required to match contains schema, but 2 matched`},
		{`{"pattern":"^a"}`, `"b'"`, `: 'b\'' does not match pattern '^a'`},
		{`{"$defs":{"t":{"$anchor":"text","type":"string"}},"properties":{"a/b~":{"$ref":"#text"}}}`, `{"a/b~":1}`, `/a~1b~0: got number, want string`},
		{`{"$id":"http://x/root","$defs":{"in":{"$id":"in","$defs":{"n":{"type":"null"}},"items":{"$ref":"#/$defs/n"}}},"$ref":"in"}`, `[1]`, `/0: got number, want null`},
		{`{"allOf":[{"properties":{"a":true}}],"unevaluatedProperties":false}`, `{"a":1,"b":2}`, `/b: false schema`},
		{`{"prefixItems":[true],"unevaluatedItems":false}`, `[1,2]`, `/1: false schema`},
		{`{"$schema":"http://json-schema.org/draft-07/schema#","items":[{"type":"string"}],"additionalItems":{"type":"null"}}`, `[1,1]`, `/0: got number, want string; /1: got number, want null`},
		{`{"$schema":"http://json-schema.org/draft-07/schema#","dependencies":{"a":["b"],"c":{"required":["d"]}}}`, `{"a":1,"c":1}`, `: properties 'b' required, if 'a' exists; : missing property 'd'`},
		{`{"const":{"a":[1.0]}}`, `{"a":[1]}`, ``},
		{`{"multipleOf":0.1,"maximum":12345678901234567890}`, `12345678901234567890.1`, `: maximum: got 12345678901234567890.1, want 12345678901234567890`},
		{`true`, `1`, ``},
		{`false`, `1`, `: false schema`},
		{`{"$ref":"#"}`, `1`, `: the schema refers to itself without end`},
		{`{"format":"email","x-unknown":1}`, `"no"`, ``},
	} {
		s, err := conform.Compile(parse(t, test.schema))
		if err != nil {
			t.Errorf("%s: %v", test.schema, err)
			continue
		}
		var got []string
		for _, f := range s.Check(parse(t, test.value)) {
			got = append(got, f.Path+": "+f.Message)
		}
		if text := strings.Join(got, "; "); text != test.want {
			t.Errorf("%s on %s: %q, want %q", test.schema, test.value, text, test.want)
		}
	}
}

func TestTreesThatExtendEachOther(t *testing.T) {
	t.Parallel()
	for _, schema := range []string{
		`{"$id":"http://x/strict","$dynamicAnchor":"node","$ref":"tree","unevaluatedProperties":false,
			"$defs":{"tree":{"$id":"tree","$dynamicAnchor":"node","properties":{"data":true,"children":{"items":{"$dynamicRef":"#node"}}}}}}`,
		`{"$schema":"https://json-schema.org/draft/2019-09/schema","$id":"http://x/strict","$recursiveAnchor":true,"$ref":"tree","unevaluatedProperties":false,
			"$defs":{"tree":{"$id":"tree","$recursiveAnchor":true,"properties":{"data":true,"children":{"items":{"$recursiveRef":"#"}}}}}}`,
	} {
		s, err := conform.Compile(parse(t, schema))
		if err != nil {
			t.Fatal(err)
		}
		got := s.Check(parse(t, `{"children":[{"data":1},{"daat":1}]}`))
		if len(got) != 1 || got[0].Path != "/children/1/daat" {
			t.Errorf("%v", got)
		}
	}
}

func TestSchemaThatIsNoneIsRefusedWithItsPlace(t *testing.T) {
	t.Parallel()
	for schema, path := range map[string]string{
		`1`: "", `null`: "", `{"type":"objekt"}`: "/type", `{"type":[]}`: "-", `{"properties":{"a":{"pattern":"("}}}`: "/properties/a/pattern",
		`{"items":[]}`: "/items", `{"allOf":[]}`: "/allOf", `{"required":[1]}`: "/required", `{"minimum":"1"}`: "/minimum",
		`{"minLength":-1}`: "/minLength", `{"maxItems":1.5}`: "/maxItems", `{"multipleOf":0}`: "/multipleOf", `{"uniqueItems":1}`: "/uniqueItems",
		`{"properties":[]}`: "/properties", `{"$ref":"#/nowhere"}`: "/$ref", `{"$ref":"other.json"}`: "/$ref", `{"$ref":1}`: "/$ref",
		`{"$schema":"http://json-schema.org/draft-04/schema#"}`: "/$schema", `{"$defs":{"a":1}}`: "/$defs/a", `{"enum":1}`: "/enum",
		`{"additionalProperties":1}`: "/additionalProperties", `{"patternProperties":{"(":true}}`: "/patternProperties",
	} {
		_, err := conform.Compile(parse(t, schema))
		if path == "-" {
			continue
		}
		var fault *conform.Error
		if !errors.As(err, &fault) || fault.Path != path || fault.Message == "" {
			t.Errorf("%s: %v, want a fault at %q", schema, err, path)
		}
	}
}

// oracle is the library that we do without at run time.
func oracle(schema any) (*jsonschema.Schema, error) {
	c := jsonschema.NewCompiler()
	if err := c.AddResource("mem:///schema", schema); err != nil {
		return nil, err
	}
	return c.Compile("mem:///schema")
}

func paths(err error) []string {
	var failed *jsonschema.ValidationError
	if !errors.As(err, &failed) {
		return nil
	}
	var list []string
	var collect func(*jsonschema.ValidationError)
	collect = func(e *jsonschema.ValidationError) {
		if len(e.Causes) == 0 {
			list = append(list, strings.Join(append([]string{""}, e.InstanceLocation...), "/"))
		}
		for _, cause := range e.Causes {
			collect(cause)
		}
	}
	collect(failed)
	slices.Sort(list)
	return slices.Compact(list)
}

func values(depth int) *rapid.Generator[any] {
	scalars := []*rapid.Generator[any]{
		rapid.Just[any](nil), rapid.Just[any](true), rapid.Just[any](false),
		rapid.Map(rapid.SampledFrom([]string{"0", "1", "1.0", "2", "2.5", "3", "-1", "1e1"}), func(s string) any { return value.Number(s) }),
		rapid.Map(rapid.SampledFrom([]string{"", "a", "ab", "abc", "é"}), func(s string) any { return s }),
	}
	if depth == 0 {
		return rapid.OneOf(scalars...)
	}
	return rapid.OneOf(append(scalars,
		rapid.Map(rapid.SliceOfN(values(depth-1), 0, 3), func(l []any) any { return l }),
		rapid.Map(rapid.MapOfN(rapid.SampledFrom([]string{"a", "b", "c"}), values(depth-1), 0, 3), func(m map[string]any) any { return m }),
	)...)
}

// keyword draws one keyword with its value.
func keyword(t *rapid.T, depth int, year string) (string, any) {
	sub := func() any { return schemas(depth-1, year).Draw(t, "schema") }
	subs := func() any { return []any{sub(), sub()} }
	table := func() any { return map[string]any{"a": sub(), "b": sub()} }
	count := func() any { return value.Number(rapid.SampledFrom([]string{"0", "1", "2", "3"}).Draw(t, "count")) }
	names := []any{"a", "b"}
	plain := map[string]func() any{
		"type": func() any {
			return rapid.SampledFrom([]any{"null", "boolean", "object", "array", "number", "string", "integer", []any{"integer", "string"}}).Draw(t, "type")
		},
		"enum":    func() any { return []any{values(1).Draw(t, "v"), values(1).Draw(t, "v")} },
		"const":   func() any { return values(1).Draw(t, "v") },
		"minimum": count, "maximum": count, "exclusiveMinimum": count, "exclusiveMaximum": count,
		"multipleOf": func() any { return value.Number("2") },
		"minLength":  count, "maxLength": count, "minItems": count, "maxItems": count, "minProperties": count, "maxProperties": count,
		"pattern":     func() any { return "^a" },
		"uniqueItems": func() any { return true },
		"required":    func() any { return names[:1] },
	}
	nested := map[string]func() any{
		"allOf": subs, "anyOf": subs, "oneOf": subs, "not": sub, "if": sub, "then": sub, "else": sub, "items": sub, "contains": sub,
		"properties": table, "additionalProperties": sub, "propertyNames": sub,
		"patternProperties": func() any { return map[string]any{"^[ab]": sub()} },
		"$ref":              func() any { return "#/$defs/x" },
	}
	switch year {
	case "2020-12":
		nested["prefixItems"] = subs
		fallthrough
	case "2019-09":
		plain["minContains"], plain["maxContains"] = count, count
		plain["dependentRequired"] = func() any { return map[string]any{"a": names[1:]} }
		nested["dependentSchemas"], nested["unevaluatedItems"], nested["unevaluatedProperties"] = table, sub, sub
	default:
		nested["dependencies"] = func() any { return map[string]any{"a": names[1:], "b": sub()} }
		nested["additionalItems"] = sub
	}
	if year != "2020-12" {
		nested["items"] = func() any { return rapid.SampledFrom([]func() any{sub, subs}).Draw(t, "items")() }
	}
	if depth > 0 {
		for name, draw := range nested {
			plain[name] = draw
		}
	}
	keys := make([]string, 0, len(plain))
	for name := range plain {
		keys = append(keys, name)
	}
	slices.Sort(keys)
	name := rapid.SampledFrom(keys).Draw(t, "keyword")
	return name, plain[name]()
}

func schemas(depth int, year string) *rapid.Generator[any] {
	return rapid.Custom(func(t *rapid.T) any {
		if rapid.IntRange(0, 9).Draw(t, "bool") == 0 {
			return rapid.Bool().Draw(t, "all")
		}
		m := map[string]any{}
		for range rapid.IntRange(1, 4).Draw(t, "keywords") {
			name, v := keyword(t, depth, year)
			if name == "$ref" && year == "7" {
				return map[string]any{name: v} // what stands beside it counts for nothing
			}
			m[name] = v
		}
		return m
	})
}

func TestVerdictsAndPlacesAreThoseOfTheLibrary(t *testing.T) {
	t.Parallel()
	for year, id := range map[string]string{
		"7": "http://json-schema.org/draft-07/schema#", "2019-09": "https://json-schema.org/draft/2019-09/schema", "2020-12": "https://json-schema.org/draft/2020-12/schema",
	} {
		t.Run(year, func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(t *rapid.T) {
				schema, ok := schemas(3, year).Draw(t, "root").(map[string]any)
				if !ok {
					return
				}
				schema["$schema"] = id
				schema["$defs"] = map[string]any{"x": schemas(0, year).Draw(t, "x")}
				if _, overrides := schema["$ref"]; overrides && year == "7" {
					return // then the library does not find $defs
				}
				v := values(3).Draw(t, "value")
				theirs, err := oracle(schema)
				if err != nil {
					t.Skip(err)
				}
				ours, err := conform.Compile(schema)
				if err != nil {
					t.Fatalf("%s: %v", value.JSON(schema), err)
				}
				want := theirs.Validate(v)
				var got []string
				for _, f := range ours.Check(v) {
					got = append(got, f.Path)
				}
				slices.Sort(got)
				got = slices.Compact(got)
				if (want == nil) != (got == nil) {
					t.Fatalf("%s on %s: we say %v, they %v", value.JSON(schema), value.JSON(v), ours.Check(v), want)
				}
				// The library stops earlier, so that it tells of fewer places, and
				// has contains speak of the items.
				if want != nil && !strings.Contains(value.JSON(schema), `"contains"`) && !slices.ContainsFunc(paths(want), func(path string) bool { return slices.Contains(got, path) }) {
					t.Fatalf("%s on %s: none of %v in %v", value.JSON(schema), value.JSON(v), paths(want), ours.Check(v))
				}
			})
		})
	}
}
