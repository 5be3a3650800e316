package verdict

import (
	"strconv"

	"github.com/brickoven/brickoven/recipes/value"
)

// facts reads loop_evidence, which a caller may have given in part.
type facts map[string]any

func factsOf(ev any) facts {
	object, ok := ev.(map[string]any)
	if !ok {
		return facts{}
	}
	return object
}

func (f facts) is(key string) bool { return value.Text(f[key]) == "true" }

func (f facts) text(key string) string { return clean(value.Text(f[key])) }

// count reads a number; what is absent or no whole number is 0.
func (f facts) count(key string) int {
	n, err := strconv.Atoi(value.Text(f[key]))
	if err != nil {
		return 0
	}
	return n
}

// movements lists what demonstrably changed in the round. New findings and
// untracked files of unknown age are no movement.
func (f facts) movements() []string {
	moved := []string{}
	add := func(yes bool, text string) {
		if yes {
			moved = append(moved, text)
		}
	}
	count := func(key, one, more string) { add(f.count(key) > 0, numbered(f.count(key), one, more)) }
	count("commits_since_baseline", "commit since the baseline", "commits since the baseline")
	add(f.count("diff_lines") > 0 || f.count("files_changed") > 0, "the diff: "+f.diff())
	count("findings_resolved", "finding resolved", "findings resolved")
	add(f.is("tests_moved"), "the test signal changed")
	add(f.is("ci_moved"), "the CI signal changed")
	add(f.count("paths_changed") > 0, "watched files: "+f.text("paths_stat"))
	add(f.is("progress_moved"), "the loop's own progress changed")
	return moved
}

func numbered(n int, one, more string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + more
}

func (f facts) diff() string {
	if stat := f.text("diff_stat"); stat != "" {
		return stat
	}
	return strconv.Itoa(f.count("diff_lines")) + " lines"
}

// observed reports whether anything at all was looked at that could have
// moved. Where nothing was, evidence contradicts nothing.
func (f facts) observed() bool {
	return f.is("git_observed") || f.is("tests_observed") || f.is("ci_observed") || f.is("paths_observed") ||
		f.is("progress_observed") || f.count("findings_recurring") > 0
}

// standstill lists what speaks for a loop that does not converge.
func (f facts) standstill() []string {
	stuck := []string{}
	add := func(yes bool, text string) {
		if yes {
			stuck = append(stuck, text)
		}
	}
	add(f.is("git_observed") && f.count("commits_since_baseline") == 0 && f.count("diff_lines") == 0,
		"no commits and no changed lines since the baseline")
	add(f.count("findings_recurring") > 0 && f.count("findings_resolved") == 0,
		numbered(f.count("findings_recurring"), "finding recurs", "findings recur")+", none is resolved")
	add(f.count("repeated_duration_count") > 1,
		strconv.Itoa(f.count("repeated_duration_count"))+" steps report the same duration "+f.text("repeated_duration_value"))
	add(f.is("repeated_output"), "the round's output repeats the history")
	add(f.is("tests_observed") && !f.is("tests_moved"), "the test signal did not change")
	add(f.is("ci_observed") && !f.is("ci_moved"), "the CI signal did not change")
	add(f.is("paths_observed") && f.count("paths_changed") == 0, "no watched file changed")
	add(f.is("progress_observed") && !f.is("progress_moved"), "the loop's own progress did not change")
	add(f.is("waiting_on_output"), "the loop is waiting for output that has not come")
	add(f.is("infrastructure_fault"), "an infrastructure fault ended the round: "+f.text("infrastructure_fault_class"))
	return stuck
}
