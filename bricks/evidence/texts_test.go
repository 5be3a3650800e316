package evidence_test

import (
	"errors"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/brickoven/brickoven/bricks/evidence"
)

// nowhere is a world without repositories and files.
func nowhere() evidence.World {
	return evidence.World{
		Git:   func(string, ...string) (string, error) { return "", errors.New("fatal: not a git repository") },
		Files: func(string) fs.FS { return fstest.MapFS{} },
	}
}

func collect(in evidence.Inputs) evidence.Evidence { return evidence.Collect(in, nowhere()) }

func TestTerminalRefusalIsExit79OrBlockedTerminal(t *testing.T) {
	t.Parallel()
	const (
		blocked = "BLOCKED_TERMINAL reported by a child"
		text79  = "exit code 79 present in round output"
		child79 = "child process exited 79"
	)
	tests := []struct{ name, code, text, want string }{
		{"child exit code", "79", "", child79},
		{"child exit code with blanks", " 79\n", "", child79},
		{"other exit code", "1", "", ""},
		{"exit code that is no number", "79%", "", ""},
		{"the word", "", "child: BLOCKED_TERMINAL at depth 4/3", blocked},
		{"the word in lower case", "", `{"status":"blocked_terminal"}`, blocked},
		{"part of a longer word", "", "NOT_BLOCKED_TERMINAL_YET and XBLOCKED_TERMINAL", ""},
		{"longer to the right", "", "BLOCKED_TERMINALS", ""},
		{"exit 79", "", "exit 79", text79},
		{"exited 79", "", "child exited 79.", text79},
		{"exit code", "", "Exit code: 79, giving up", text79},
		{"exit status", "", "exit status 79", text79},
		{"exit status with words", "", "exit status was: 79", text79},
		{"exited with code", "", "process exited with code 79", text79},
		{"json key", "", `{"exit_code": 79}`, text79},
		{"eight characters between", "", "exit12345678 exit 1234567 79 exit--------79", text79},
		{"nine characters between", "", "exit---------79", ""},
		{"coverage", "", "code coverage: 79%", ""},
		{"exit and a percentage", "", "exit criteria 79% / exit at 79%", ""},
		{"passed tests", "", "status: 79 passed", ""},
		{"a pull request", "", "PR status #79", ""},
		{"a longer number", "", "exit code 790", ""},
		{"another number first", "", "exit code 1 after 79", ""},
		{"a decimal", "", "exit code 79.5", ""},
		{"a quantity", "", "exit in 79s", ""},
		{"not a word", "", "exiting 79, preexit 79", ""},
		{"over a line end", "", "exit\n79", ""},
		{"over a carriage return", "", "exit\r79", ""},
		{"all reasons joined", "79", "BLOCKED_TERMINAL exit 79", child79 + "; " + blocked + "; " + text79},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for _, in := range []evidence.Inputs{
				{ChildExitCode: tt.code, History: tt.text},
				{ChildExitCode: tt.code, LastOutput: tt.text},
			} {
				e := collect(in)
				if e.TerminalReason != tt.want || bool(e.TerminalRefusal) != (tt.want != "") {
					t.Errorf("got %v %q, want %q", e.TerminalRefusal, e.TerminalReason, tt.want)
				}
			}
		})
	}
}

func TestTaggedLinesAreDroppedBeforeTheTerminalDetectors(t *testing.T) {
	t.Parallel()
	own := evidence.Collect(evidence.Inputs{LastOutput: "BLOCKED_TERMINAL exit 79"}, nowhere()).JSON()
	health := `{"loop_verdict":"STUCK","verdict_source":"terminal_policy_refusal","loop_name":"x","not_converging":["exit 79"]}`
	pretty := "{\n  \"terminal_refusal\": \"true\",\n  \"terminal_reason\": \"exit code 79 present\"\n}"
	tests := []struct {
		name, history string
		terminal      bool
	}{
		{"a tagged line", evidence.Tag + " child process exited 79", false},
		{"a tagged line behind a log prefix", "12:00 step failed: " + evidence.Tag + " BLOCKED_TERMINAL", false},
		{"an untagged line after it", evidence.Tag + " exit 79\nBLOCKED_TERMINAL", true},
		{"an untagged line before it", "BLOCKED_TERMINAL\r\n" + evidence.Tag + " exit 79", true},
		{"the evidence itself", own, false},
		{"the evidence behind prose", "Evidence was " + own + " in round 1", false},
		{"the evidence, printed over lines", pretty, false},
		{"loop_health", health, false},
		{"a list of both", "[" + own + "," + health + "]", false},
		{"a refusal beside loop_health", `[` + health + `,{"output":"BLOCKED_TERMINAL"}]`, true},
		{"a refusal after loop_health", health + " then BLOCKED_TERMINAL", true},
		{"a tagged line in a string", `{"report":"` + evidence.Tag + ` exit 79\n` + evidence.Tag + ` BLOCKED_TERMINAL"}`, false},
		{"another line in that string", `{"report":"exit 79\n` + evidence.Tag + ` stopped"}`, true},
		{"another string of that object", `{"a":"` + evidence.Tag + ` stopped","b":"exit 79"}`, true},
		{"an answer of a judge is not ours", `{"loop_verdict":"CONTINUE","not_converging":["BLOCKED_TERMINAL"]}`, true},
		{"an unclosed object", `{"loop_verdict":"STUCK","verdict_source":"x","a":"exit 79"`, true},
		{"an unclosed object with the tag", `{"a":"` + evidence.Tag + ` exit 79`, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if e := collect(evidence.Inputs{History: tt.history}); bool(e.TerminalRefusal) != tt.terminal {
				t.Errorf("terminal_refusal %v (%s), want %v", e.TerminalRefusal, e.TerminalReason, tt.terminal)
			}
		})
	}
}

func TestIdenticalDurationsAreCountedInAllForms(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, text, value string
		count             int
	}{
		{"none", "no time at all", "", 0},
		{"seven times ten minutes", strings.Repeat("step took 10m 0s\n", 7), "10m 0s", 7},
		{"one ceiling in four forms, as first seen", "10m0s, 10m 0s, 600.0s; 600s", "10m0s", 4},
		{"hours and minutes", "1h 2m and 1h2m and 62m 0s", "1h 2m", 3},
		{"seconds", "45s 45s 44s", "45s", 2},
		{"the first of equals", "5s 6s 5s 6s", "5s", 2},
		{"fractions differ", "1.5s 1.50s 1.25s", "1.5s", 2},
		{"times under a second are no ceiling", "0.00s 0.00s 0s 0s 3s", "3s", 1},
		{"bare minutes and hours are not counted", "10m 10m 2h 2h", "", 0},
		{"milliseconds are not counted", "45ms 45ms", "", 0},
		{"words are not durations", "10m users, 45street, x45s, v1.45s, 45s_x", "", 0},
		{"falling units only", "0s 10m 5s then 10m 5s", "10m 5s", 2},
		{"a number too long for a step", "9999999s 9999999s", "", 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			e := collect(evidence.Inputs{History: tt.text})
			if e.RepeatedDurationValue != tt.value || e.RepeatedDurationCount != tt.count {
				t.Errorf("got %q × %d, want %q × %d", e.RepeatedDurationValue, e.RepeatedDurationCount, tt.value, tt.count)
			}
		})
	}
}

func TestWaitingOnOutput(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]evidence.Flag{
		"The review workflow is still running; I'm here": true,
		"I'm waiting for its structured findings.":       true,
		"Waiting on CI":                      true,
		"the child has not returned":         true,
		"it has not  yet completed":          true,
		"No output yet":                      true,
		"still\nrunning":                     false,
		"distill running":                    false,
		"waiting room":                       false,
		"it has not failed":                  false,
		"no output yetis":                    false,
		evidence.Tag + " waiting for output": false,
	} {
		if got := collect(evidence.Inputs{LastOutput: text}).WaitingOnOutput; got != want {
			t.Errorf("%q: got %v, want %v", text, got, want)
		}
	}
}

func TestRepeatedOutputIsComparedInFoldedLetters(t *testing.T) {
	t.Parallel()
	const output = "Round 3: fixed 2 of 5 findings in parser.go, tests green"
	tests := []struct {
		name, history, output string
		repeated              evidence.Flag
	}{
		{"digits, case, punctuation and white space fold", "before\nROUND 7 -- fixed 12 of\n 9 findings in PARSER go tests green.\nafter", output, true},
		{"inside a JSON string", `{"output":"Round 1:\nfixed 2 of 5 findings\tin parser.go, tests green"}`, output, true},
		{"not there", "Round 3 fixed nothing at all in the parser", output, false},
		{"too short to mean anything", "all tests green, all done", "tests green", false},
		{"23 letters", strings.Repeat("a", 40), strings.Repeat("a", 23), false},
		{"24 letters", strings.Repeat("a", 40), strings.Repeat("a", 24), true},
		{"letters beyond ASCII", "ÄRGER über die Prüfung des Größenmaßes", "Ärger, über die prüfung: des größenmaßes!", true},
		{"only in a tagged line", evidence.Tag + " " + output, output, false},
		{"far into a long history", strings.Repeat("lorem ipsum dolor ", 200_000) + output, output, true},
		{"in one very long line", strings.Repeat("x", 3<<20) + output, output, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			e := collect(evidence.Inputs{History: tt.history, LastOutput: tt.output})
			if e.RepeatedOutput != tt.repeated {
				t.Errorf("repeated_output %v, want %v", e.RepeatedOutput, tt.repeated)
			}
			if e.RepeatedOutput && e.RepeatedSimilarity != 1 {
				t.Errorf("a repeated output has similarity %v, want 1", e.RepeatedSimilarity)
			}
		})
	}
}

func TestRepeatedSimilarityFindsNearRepeats(t *testing.T) {
	t.Parallel()
	const output = "I looked at the failing parser test again and the cause is the missing token in the lexer table"
	near := "I looked at the failing parser test once more and the cause is the missing token in the lexer table"
	shuffled := "table lexer the in token missing the is cause the and again test parser failing the at looked I"
	got := func(history string) float64 {
		return collect(evidence.Inputs{History: history, LastOutput: output}).RepeatedSimilarity
	}
	if s := got("intro words. " + near + " outro words."); s < 0.8 || s >= 1 {
		t.Errorf("near repeat: %v, want at least 0.8 and below 1", s)
	}
	if s := got(shuffled); s > 0.2 {
		t.Errorf("the same words in another order: %v, want little", s)
	}
	if s := got("something else entirely"); s != 0 {
		t.Errorf("nothing in common: %v, want 0", s)
	}
	spread := strings.ReplaceAll(output, " ", " filler words that stand between the others ")
	if s := got(spread); s > 0.2 {
		t.Errorf("words far apart: %v, want little", s)
	}
}

func TestFindingsAreASetDifference(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, current, previous string
		want                    [3]int // new, recurring, resolved
	}{
		{"both empty", "", "", [3]int{}},
		{"lines are trimmed, blank ones dropped, each counts once", " F1 \n\nF2\nF2\r\n", "F1\nF3", [3]int{1, 1, 1}},
		{"nothing resolved", "F1\nF2", "F2\nF1", [3]int{0, 2, 0}},
		{"JSON lists", `["F1","F2"]`, `["F2", 3]`, [3]int{1, 1, 1}},
		{"a JSON list and lines", `["F1"]`, "F1", [3]int{0, 1, 0}},
		{"a line that only begins like a list", "[P1] leak", "[P1] leak\n[P2] race", [3]int{0, 1, 1}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			e := collect(evidence.Inputs{FindingsCurrent: tt.current, FindingsPrevious: tt.previous})
			if got := [3]int{e.FindingsNew, e.FindingsRecurring, e.FindingsResolved}; got != tt.want {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}

func TestUnobservedSignalsAreNeverProgress(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, now, before string
		observed, moved   evidence.Flag
	}{
		{"neither side", "", " \n", false, false},
		{"the same", "2 failed", "2 failed\n", true, false},
		{"different", "1 failed", "2 failed", true, true},
		{"only now", "1 failed", "", true, true},
		{"only before", "", "1 failed", true, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			e := collect(evidence.Inputs{TestSignal: tt.now, TestPrevious: tt.before, CISignal: tt.now, CIPrevious: tt.before})
			if e.TestsObserved != tt.observed || e.TestsMoved != tt.moved || e.CIObserved != tt.observed || e.CIMoved != tt.moved {
				t.Errorf("tests %v %v, ci %v %v, want %v %v", e.TestsObserved, e.TestsMoved, e.CIObserved, e.CIMoved, tt.observed, tt.moved)
			}
		})
	}
}

func TestProgressComparesANumberOrASet(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, now, before string
		observed, moved   evidence.Flag
	}{
		{"not given", "", "", false, false},
		{"no earlier value to compare with", "5", "", true, false},
		{"a number that changed", "5", "4", true, true},
		{"the same number, written differently", "5.0", "5", true, false},
		{"a set in another order", "b\na", "a\nb", true, false},
		{"a set that lost an item", `["a"]`, `["a","b"]`, true, true},
		{"an explicitly empty set", "[]", `["a"]`, true, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			e := collect(evidence.Inputs{Progress: tt.now, ProgressPrevious: tt.before})
			if e.ProgressObserved != tt.observed || e.ProgressMoved != tt.moved {
				t.Errorf("got %v %v, want %v %v", e.ProgressObserved, e.ProgressMoved, tt.observed, tt.moved)
			}
		})
	}
}

func TestInfrastructureFaultIsTheOneThatEndedTheRound(t *testing.T) {
	t.Parallel()
	const transient, environmental = "transient_transport", "environmental"
	tests := []struct{ name, output, want string }{
		{"a class marker", `log {"class":"transient_transport","detail":"x"}`, transient},
		{"an environmental marker with blanks", `{"class" : "environmental"}`, environmental},
		{"another class", `{"class":"deterministic"}`, ""},
		{"the last marker counts", `{"class":"transient_transport"}` + "\n" + `{"class":"environmental"}`, environmental},
		{"overloaded", "API Error: Overloaded", transient},
		{"overloaded_error", `{"type":"overloaded_error"}`, transient},
		{"an overloaded method", "I replaced the overloaded constructor of the parser class", ""},
		{"429", "429 Too Many Requests", transient},
		{"529", "HTTP 529", transient},
		{"429 files", "reformatted 429 files", ""},
		{"connection reset", "read tcp: connection reset by peer", transient},
		{"missing credential", "fatal: missing credentials for the model", environmental},
		{"api key", "Invalid API key", environmental},
		{"the aftermath of a fault", "API Error: 529\n    at call (x.js:1)\n}\n\ngiving up after 3 retries", transient},
		{"recovered", "API Error: 529\nretry succeeded\nedited parser.go", ""},
		{"work went on", "connection reset\nEdited parser.go and ran the tests", ""},
		{"nothing", "all well", ""},
		{"a tagged line is no work", "API Error: 529\n" + evidence.Tag + " STUCK", transient},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			e := collect(evidence.Inputs{LastOutput: tt.output})
			if e.InfrastructureClass != tt.want || bool(e.InfrastructureFault) != (tt.want != "") {
				t.Errorf("got %v %q, want %q", e.InfrastructureFault, e.InfrastructureClass, tt.want)
			}
		})
	}
}
