package failing_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/brickoven/brickoven/bricks/brakes/failing"
)

func read(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// reported are a set's parts without the message hashes.
type reported struct {
	Failures                []string // test @ location
	Passed, Skipped, Broken []string
}

func report(t *testing.T, set failing.Set) reported {
	t.Helper()
	if !set.IsKnown() {
		t.Fatalf("the set is %s: %s", set.State, set.Why)
	}
	r := reported{Passed: set.Passed, Skipped: set.Skipped, Broken: set.Broken}
	for _, f := range set.Failures {
		r.Failures = append(r.Failures, f.Test+" @ "+f.Location)
		if f.Message == "" {
			t.Errorf("%s has no message", f.Test)
		}
	}
	return r
}

func TestEachFormatIsReadInFull(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		format failing.Format
		file   string
		root   string
		want   reported
	}{
		{failing.GoTestJSON, "go-test.jsonl", "/home/me/shop", reported{
			Failures: []string{
				"example.com/shop/broken @ broken/broken_test.go:5",
				"example.com/shop/cart::TestSum/two_items @ cart_test.go:11",
				"example.com/shop/cart::TestTotal @ cart_test.go:19",
				"example.com/shop/dead::TestPanics @ dead/dead_test.go:9",
			},
			Passed: []string{
				"example.com/shop/cart::TestAdd", "example.com/shop/cart::TestSum/empty",
				"example.com/shop/dead::TestFine", "example.com/shop/pay::TestPay",
			},
			Skipped: []string{"example.com/shop/cart::TestLater"},
			Broken:  []string{"example.com/shop/broken", "example.com/shop/cart::TestSum", "example.com/shop/dead"},
		}},
		{failing.JUnit, "junit.xml", "", reported{
			Failures: []string{
				"com.acme.PayTest::pays @ src/PayTest.java:31",
				"tests.test_cart.TestCart::test_sum[two] @ tests/test_cart.py:12",
				"tests.test_db @ ",
			},
			Passed:  []string{"second::alone", "tests.test_cart.TestCart::test_add"},
			Skipped: []string{"tests.test_cart::test_later"},
			Broken:  []string{"tests.test_db"},
		}},
		{failing.TAP, "node.tap", "/home/me/shop/", reported{
			Failures: []string{"cart::sums @ t.test.js:5"},
			Passed:   []string{"alone", "cart::adds"},
			Skipped:  []string{"cart::later", "cart::some day"},
			Broken:   []string{"cart"},
		}},
		{failing.JestJSON, "jest.json", "/home/me/shop", reported{
			Failures: []string{"cart.test.js::cart > totals > sums @ cart.test.js:8", "pay.test.js @ "},
			Passed:   []string{"cart.test.js::cart > adds"},
			Skipped:  []string{"cart.test.js::cart > later"},
			Broken:   []string{"pay.test.js"},
		}},
		{failing.PytestJSON, "pytest.json", "/home/me/shop", reported{
			Failures: []string{
				"tests/test_cart.py::TestSum::test_two[a-b] @ tests/test_cart.py:12",
				"tests/test_cart.py::test_fixture @ conftest.py:4",
				"tests/test_db.py @ tests/test_db.py:1",
			},
			Passed:  []string{"tests/test_cart.py::test_add"},
			Skipped: []string{"tests/test_cart.py::test_known", "tests/test_cart.py::test_later"},
			Broken:  []string{"tests/test_db.py"},
		}},
	} {
		t.Run(string(c.format), func(t *testing.T) {
			t.Parallel()
			set := failing.Parse(c.format, failing.Output{Stdout: read(t, c.file), ExitCode: 1, CheckRed: true, Root: c.root})
			if diff := cmp.Diff(c.want, report(t, set)); diff != "" {
				t.Error(diff)
			}
			if !set.Complete {
				t.Error("the format lists passing tests, and the set is not complete")
			}
		})
	}
}

func TestAnUnreadableSetIsUnknown(t *testing.T) {
	t.Parallel()
	green := string(read(t, "go-test-green.jsonl"))
	for name, c := range map[string]struct {
		format failing.Format
		out    failing.Output
		why    string
	}{
		"no such format":        {"xml", failing.Output{}, "no format"},
		"did not run":           {failing.Lines, failing.Output{NotStarted: "no such folder", Stdout: []byte("a")}, "no such folder"},
		"command not found":     {failing.Lines, failing.Output{ExitCode: 127, Stdout: []byte("a")}, "127"},
		"killed":                {failing.Lines, failing.Output{ExitCode: -1, Stdout: []byte("a")}, "signal"},
		"killed under a shell":  {failing.GoTestJSON, failing.Output{ExitCode: 137, Stdout: []byte(green)}, "signal"},
		"empty and red":         {failing.Lines, failing.Output{CheckRed: true}, "while the check is red"},
		"blank and red":         {failing.Lines, failing.Output{CheckRed: true, Stdout: []byte(" \n\n")}, "while the check is red"},
		"green report, red":     {failing.GoTestJSON, failing.Output{CheckRed: true, Stdout: []byte(green)}, "while the check is red"},
		"empty and failed":      {failing.Lines, failing.Output{ExitCode: 2}, "exit code 2"},
		"green report, failed":  {failing.GoTestJSON, failing.Output{ExitCode: 1, Stdout: []byte(green)}, "exit code 1"},
		"no event":              {failing.GoTestJSON, failing.Output{Stdout: []byte("FAIL\n")}, "no event"},
		"torn event":            {failing.GoTestJSON, failing.Output{Stdout: []byte(green[:len(green)-9])}, "line"},
		"no end of a package":   {failing.GoTestJSON, failing.Output{Stdout: []byte(green[:strings.LastIndex(strings.TrimSpace(green), "\n")+1])}, "cut short"},
		"torn XML":              {failing.JUnit, failing.Output{Stdout: []byte(`<testsuite><testcase name="a">`)}, "EOF"},
		"other XML":             {failing.JUnit, failing.Output{Stdout: []byte(`<html/>`)}, "no test suite"},
		"no XML":                {failing.JUnit, failing.Output{Stdout: []byte(`hello`)}, "no test suite"},
		"no test in XML":        {failing.JUnit, failing.Output{Stdout: []byte(`<testsuite/>`)}, "no test at all"},
		"no plan":               {failing.TAP, failing.Output{Stdout: []byte("not ok 1 - a\n")}, "no plan"},
		"fewer than planned":    {failing.TAP, failing.Output{Stdout: []byte("1..3\nnot ok 1 - a\n")}, "3 tests planned, 1 reported"},
		"bail out":              {failing.TAP, failing.Output{Stdout: []byte("1..1\nBail out! no database\n")}, "no database"},
		"inside a subtest":      {failing.TAP, failing.Output{Stdout: []byte("1..1\n    not ok 1 - a\n")}, "inside a subtest"},
		"subtest without plan":  {failing.TAP, failing.Output{Stdout: []byte("    not ok 1 - a\nnot ok 1 - b\n1..1\n")}, "no plan"},
		"no JSON":               {failing.JestJSON, failing.Output{Stdout: []byte("Error: oops")}, "no JSON object"},
		"torn JSON":             {failing.JestJSON, failing.Output{Stdout: []byte(`{"testResults":[`)}, "EOF"},
		"other JSON":            {failing.JestJSON, failing.Output{Stdout: []byte(`{"a":1}`)}, "no testResults"},
		"unknown status":        {failing.JestJSON, failing.Output{Stdout: []byte(`{"testResults":[{"name":"a","assertionResults":[{"title":"b","status":"odd"}]}]}`)}, "odd"},
		"other JSON for pytest": {failing.PytestJSON, failing.Output{Stdout: []byte(`{"tests":[]}`)}, "no exitcode"},
		"pytest interrupted":    {failing.PytestJSON, failing.Output{Stdout: []byte(`{"exitcode":2,"tests":[]}`)}, "did not get through"},
		"unknown outcome":       {failing.PytestJSON, failing.Output{Stdout: []byte(`{"exitcode":0,"tests":[{"nodeid":"a","outcome":"odd"}]}`)}, "odd"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			set := failing.Parse(c.format, c.out)
			if set.State != failing.Unknown || !strings.Contains(set.Why, c.why) {
				t.Errorf("got state %q because %q, want unknown because of %q", set.State, set.Why, c.why)
			}
			if set.Size() != 0 || set.Passed != nil {
				t.Errorf("an unknown set claims %v and %v", set.Failures, set.Passed)
			}
		})
	}
}

func TestUnsetUnknownAndEmptyAreThreeThings(t *testing.T) {
	t.Parallel()
	var unset failing.Set
	unknown := failing.Parse(failing.Lines, failing.Output{CheckRed: true})
	empty := failing.Parse(failing.Lines, failing.Output{})
	if unset.State != failing.Unset || unknown.State != failing.Unknown || empty.State != failing.Known {
		t.Errorf("got %q, %q and %q", unset.State, unknown.State, empty.State)
	}
	if unset.IsKnown() || unknown.IsKnown() || !empty.IsKnown() {
		t.Error("only the empty set is known")
	}
}

func TestAFilterThatMatchesNothingIsAnEmptySet(t *testing.T) {
	t.Parallel()
	if set := failing.Parse(failing.Lines, failing.Output{ExitCode: 1}); !set.IsKnown() || set.Size() != 0 {
		t.Errorf("grep without a match gives %+v", set)
	}
}

func TestLinesAreNormalisedTrimmedAndUnique(t *testing.T) {
	t.Parallel()
	set := failing.Parse(failing.Lines, failing.Output{Stdout: []byte("  b failed after 3.1s\n\na at 0x1f\r\nb failed after 12ms\n")})
	if diff := cmp.Diff([]string{"a at <hex>", "b failed after <duration>"}, set.Tests()); diff != "" {
		t.Error(diff)
	}
}

func TestTheIdentityIsTestLocationAndMessage(t *testing.T) {
	t.Parallel()
	parse := func(location, message string) failing.Set {
		return failing.Parse(failing.JUnit, failing.Output{Stdout: []byte(
			`<testsuite><testcase classname="c" name="n"><failure message="` + message + `">` + location + `</failure></testcase></testsuite>`)})
	}
	base := parse("a.py:1", "assert 3 == 4")
	for name, c := range map[string]struct {
		other failing.Set
		same  bool
	}{
		"the same":            {parse("a.py:1", "assert 3 == 4"), true},
		"another value":       {parse("a.py:1", "assert 3 == 5"), false},
		"another line":        {parse("a.py:2", "assert 3 == 4"), false},
		"another quoted name": {parse("a.py:1", "KeyError 'a'"), false},
	} {
		if got := c.other.Key() == base.Key(); got != c.same {
			t.Errorf("%s: the same is %v", name, got)
		}
	}
	slow, fast := parse("a.py:1", "timed out after 10.2s at 0x1f"), parse("a.py:1", "timed out after 9.8s at 0x2e")
	if slow.Key() != fast.Key() {
		t.Error("a time and an address make a new failure")
	}
}

func TestTheWorstResultOfATestCounts(t *testing.T) {
	t.Parallel()
	set := failing.Parse(failing.JUnit, failing.Output{Stdout: []byte(`<testsuite>
		<testcase classname="c" name="rerun"/><testcase classname="c" name="rerun"><failure message="x"/></testcase>
		<testcase classname="c" name="twice"><skipped/></testcase><testcase classname="c" name="twice"/></testsuite>`)})
	want := failing.Set{State: failing.Known, Complete: true, Failures: set.Failures, Passed: []string{}, Skipped: []string{"c::twice"}}
	if diff := cmp.Diff([]string{"c::rerun"}, set.Tests()); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(want.Skipped, set.Skipped); diff != "" || len(set.Passed) > 0 {
		t.Errorf("passed %v, skipped %v", set.Passed, set.Skipped)
	}
}

func TestAPackageThatDiedBeforeItsEndBreaksItsTests(t *testing.T) {
	t.Parallel()
	set := failing.Parse(failing.GoTestJSON, failing.Output{ExitCode: 1, Stdout: []byte(`{"Action":"start","Package":"p"}
{"Action":"run","Package":"p","Test":"TestA"}
{"Action":"output","Package":"p","Test":"TestA","Output":"exit status 3\n"}
{"Action":"fail","Package":"p"}
`)})
	if !set.IsBroken("p::TestB") || !set.IsBroken("p::TestA/sub") || set.IsBroken("pp::TestB") {
		t.Errorf("broken is %v", set.Broken)
	}
	if diff := cmp.Diff([]string{"p::TestA"}, set.Tests()); diff != "" {
		t.Error(diff)
	}
}

func TestTAPDirectivesAndEscapes(t *testing.T) {
	t.Parallel()
	set := failing.Parse(failing.TAP, failing.Output{ExitCode: 1, Stdout: []byte(`1..6
ok
not ok 2 - number \# skip is part of the name
# diag of two
ok 3 - c # SKIP no database
not ok 4 - d # todo later
ok 5 - e # TODO
not ok 6
`)})
	got := reported{Passed: set.Passed, Skipped: set.Skipped}
	if diff := cmp.Diff(reported{Passed: []string{"e", "test 1"}, Skipped: []string{"c", "d"}}, got); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{`number \# skip is part of the name`, "test 6"}, set.Tests()); diff != "" {
		t.Error(diff)
	}
}

func TestTheOrderOfAReportDoesNotMatter(t *testing.T) {
	t.Parallel()
	lines := strings.SplitAfter(strings.TrimSpace(string(read(t, "go-test.jsonl")))+"\n", "\n")
	want := failing.Parse(failing.GoTestJSON, failing.Output{Stdout: []byte(strings.Join(lines, "")), ExitCode: 1})
	rapid.Check(t, func(t *rapid.T) {
		// Packages run at the same time; within one the order holds.
		byPackage := map[string][]string{}
		var names []string
		for _, line := range lines {
			_, name, _ := strings.Cut(line, `"Package":"`)
			name, _, _ = strings.Cut(name, `"`)
			if byPackage[name] == nil {
				names = append(names, name)
			}
			byPackage[name] = append(byPackage[name], line)
		}
		var mixed strings.Builder
		for len(names) > 0 {
			i := rapid.IntRange(0, len(names)-1).Draw(t, "package")
			mixed.WriteString(byPackage[names[i]][0])
			if byPackage[names[i]] = byPackage[names[i]][1:]; len(byPackage[names[i]]) == 0 {
				names = append(names[:i], names[i+1:]...)
			}
		}
		got := failing.Parse(failing.GoTestJSON, failing.Output{Stdout: []byte(mixed.String()), ExitCode: 1})
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatal(diff)
		}
	})
}

func FuzzParse(f *testing.F) {
	for _, name := range []string{"go-test.jsonl", "junit.xml", "node.tap", "jest.json", "pytest.json"} {
		f.Add(read(f, name), 1, true)
	}
	f.Add([]byte("a\nb\n"), 0, false)
	f.Fuzz(func(t *testing.T, data []byte, exitCode int, red bool) {
		for _, format := range failing.Formats() {
			set := failing.Parse(format, failing.Output{Stdout: data, ExitCode: exitCode, CheckRed: red})
			if set.State == failing.Unset || set.State == failing.Unknown && set.Why == "" {
				t.Fatalf("%s: state %q because %q", format, set.State, set.Why)
			}
			if red && set.IsKnown() && set.Size() == 0 {
				t.Fatalf("%s: no failure beside a red check", format)
			}
			for _, test := range set.Tests() {
				for _, passed := range set.Passed {
					if test == passed {
						t.Fatalf("%s: %q both fails and passes", format, test)
					}
				}
			}
		}
	})
}
