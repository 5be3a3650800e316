package verdict

import (
	"slices"
	"strings"

	"github.com/brickoven/brickoven/bricks/evidence"
	"github.com/brickoven/brickoven/recipes/value"
)

// Order is what the enforcement step works from.
type Order struct {
	// Health is the loop_health value, or its text; anything but a map with one
	// of the three verdicts is STUCK.
	Health     any
	Evidence   any // the loop_evidence value, for the report
	RoundLabel string
	// Enforce makes STUCK fail the step; without it STUCK is only reported.
	Enforce bool
}

// Enforce reports the verdict. CONTINUE and DONE are one line of stdout and
// exit code 0. STUCK leaves stdout empty and writes its report to stderr, each
// line with the bricks' tag; its exit code is 1 where it is enforced.
func Enforce(o Order) (stdout, stderr string, exitCode int) {
	health, verdict := o.read()
	name := clip(clean(value.Text(health["loop_name"])), maxName)
	if name == "" {
		name = defaultName
	}
	head := "LOOP_HEALTH: " + verdict + " — loop " + name + ", source " + clip(clean(value.Text(health["verdict_source"])), maxName)
	if verdict != Stuck {
		return head + " " + evidence.Tag + "\n", "", 0
	}
	r := &report{}
	r.line(head)
	if label := clean(o.RoundLabel); label != "" {
		r.section("round", []string{label})
	}
	r.section("evidence", evidenceLines(o.Evidence))
	r.section("not converging", texts(health["not_converging"]))
	r.section("moved", texts(health["moved"]))
	r.section("recommended action", texts(health["recommended_action"]))
	if o.Enforce {
		exitCode = 1
	} else {
		r.line("loop_health_enforce is false: the caller's own condition has to stop the loop")
	}
	return "", r.text.String(), exitCode
}

// maxName is how many characters of a name fit on the verdict's line.
const maxName = 200

func (o Order) read() (health map[string]any, verdict string) {
	v := o.Health
	if text, ok := v.(string); ok {
		v = value.Guess(text)
	}
	health, ok := v.(map[string]any)
	if !ok {
		health = map[string]any{}
	}
	switch token, _ := health["loop_verdict"].(string); token {
	case Continue, Done, Stuck:
		return health, token
	}
	return map[string]any{
		"loop_name":      health["loop_name"],
		"verdict_source": string(UnparseableVerdict),
		"not_converging": []any{"loop_health holds no verdict"},
	}, Stuck
}

// report writes tagged lines. They are short, so that a cut through the middle
// of the report spoils the tag of one line at most.
type report struct{ text strings.Builder }

func (r *report) line(text string) {
	r.text.WriteString(evidence.Tag + " " + text + "\n")
}

// section writes the items below a title, at most maxText characters of them.
func (r *report) section(title string, items []string) {
	if len(items) == 0 {
		return
	}
	r.line(title + ":")
	left := maxText
	for _, item := range items {
		item = clip(clean(strings.ReplaceAll(item, evidence.Tag, "")), left)
		for _, part := range fold(item) {
			r.line("  " + part)
		}
		if left -= len([]rune(item)); left <= 0 {
			return
		}
	}
}

// width is how many bytes a line of the report holds, apart from the tag.
const width = 100

// fold cuts a text into lines at blanks.
func fold(text string) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		if line != "" && len(line)+1+len(word) > width {
			lines = append(lines, line)
			line = ""
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	if line != "" {
		lines = append(lines, line)
	}
	return lines
}

// evidenceLines prints the evidence as name: value, without what is empty, and
// without the manifest, which is for the next round and not for a reader.
func evidenceLines(ev any) []string {
	object, ok := ev.(map[string]any)
	if !ok {
		return []string{"none that can be read"}
	}
	var names []string
	for name := range object {
		if name != "watch_manifest" && name != "measured_by" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	var lines []string
	for _, name := range names {
		if text := value.Text(object[name]); text != "" && text != "[]" {
			lines = append(lines, name+": "+text)
		}
	}
	return pack(lines)
}

// pack puts short items side by side, as many as fit on a line.
func pack(items []string) []string {
	var lines []string
	for _, item := range items {
		if last := len(lines) - 1; last >= 0 && len(lines[last])+2+len(item) <= width {
			lines[last] += ", " + item
		} else {
			lines = append(lines, item)
		}
	}
	return lines
}
