package ledger

import (
	"slices"
	"strings"

	"github.com/brickoven/brickoven/bricks/ledger/diff"
	"github.com/brickoven/brickoven/recipes/value/pattern"
)

// declared is one path of a change scope, with the ways it can be read: git
// writes renames and long names so that a text alone does not tell.
type declared struct {
	text string
	// paths are possible readings as whole paths, the likeliest first.
	paths []string
	// tails are possible readings of an abbreviated name (".../tail").
	tails []string
}

var (
	statLine   = pattern.Pattern{Source: `^ ?(.*\S) +\| +(?:\d+(?: [+-]+)?|Bin(?: .*)?|Unmerged)$`}
	numstat    = pattern.Pattern{Source: `^(?:\d+|-)\t(?:\d+|-)\t(.+)$`}
	nameStatus = pattern.Pattern{Source: `^([ACDMRTUXB]\d*)\t([^\t]+)(?:\t([^\t]+))?$`}
	rawLine    = pattern.Pattern{Source: `^:+\d{6} .* ([ACDMRTUXB]\d*\t.*)$`}
	summary    = pattern.Pattern{Source: `^ ?\d+ files? changed(?:,|$)`}
	detail     = pattern.Pattern{Source: `^ (?:create mode|delete mode|mode change|rename|copy|rewrite) `}
	commitLine = pattern.Pattern{Source: `^commit [0-9a-f]{7,64}\b`}
)

// parseScope reads the transcript that declares which paths a change touches:
// the output of git show or git diff with --stat, --numstat, --raw, --name-only
// or --name-status, with or without the commit's header and message.
func parseScope(transcript string) []declared {
	var stat, plain []declared
	for _, line := range scopeLines(transcript) {
		if found := rawLine.Get().FindStringSubmatch(line); found != nil {
			line = found[1]
		}
		switch found := statLine.Get().FindStringSubmatch(line); {
		case found != nil:
			stat = append(stat, readName(found[1]))
		case summary.Get().MatchString(line), detail.Get().MatchString(line):
		case numstat.Get().MatchString(line):
			stat = append(stat, readName(numstat.Get().FindStringSubmatch(line)[1]))
		case nameStatus.Get().MatchString(line):
			fields := nameStatus.Get().FindStringSubmatch(line)
			name := fields[2]
			if fields[3] != "" {
				name = fields[3]
			}
			stat = append(stat, declared{text: name, paths: []string{diff.Unquote(name)}})
		default:
			plain = append(plain, readName(line))
		}
	}
	if len(stat) > 0 {
		return stat
	}
	return plain
}

// scopeLines drops the commit headers, the messages, which git indents by four
// spaces, and blank lines.
func scopeLines(transcript string) []string {
	var lines []string
	inHeader := false
	for line := range strings.SplitSeq(transcript, "\n") {
		line = strings.TrimSuffix(line, "\r")
		switch {
		case commitLine.Get().MatchString(line):
			inHeader = true
		case strings.TrimSpace(line) == "":
			inHeader = false
		case inHeader, strings.HasPrefix(line, "    "), line == "---", line == "Notes:":
		default:
			lines = append(lines, line)
		}
	}
	return lines
}

// readName reads one name as --stat and --numstat print it.
func readName(text string) declared {
	d := declared{text: text, paths: renameReadings(text)}
	if tail, abbreviated := strings.CutPrefix(text, "..."); abbreviated {
		d.tails = renameReadings(tail)
		if cut := strings.IndexByte(tail, '}'); cut >= 0 && !strings.Contains(tail[:cut], "{") {
			// The abbreviation has cut into the braces of a rename.
			inner := tail[:cut]
			if _, after, found := strings.Cut(inner, " => "); found {
				inner = after
			}
			d.tails = append(d.tails, joinRename(inner, tail[cut+1:]))
		}
	}
	return d
}

// renameReadings are the paths that a name can mean: itself, and where it has
// an arrow, the new name.
func renameReadings(text string) []string {
	readings := []string{diff.Unquote(text)}
	open := strings.IndexByte(text, '{')
	for open >= 0 {
		rest := text[open+1:]
		if _, after, arrow := strings.Cut(rest, " => "); arrow {
			if inner, tail, closed := strings.Cut(after, "}"); closed {
				readings = append(readings, joinRename(text[:open]+inner, tail))
			}
		}
		next := strings.IndexByte(rest, '{')
		if next < 0 {
			break
		}
		open += 1 + next
	}
	for rest := text; ; {
		_, renamed, arrow := strings.Cut(rest, " => ")
		if !arrow {
			return readings
		}
		readings = append(readings, diff.Unquote(renamed))
		rest = renamed
	}
}

// joinRename joins the parts around a closing brace; an empty new part leaves
// one slash of two.
func joinRename(front, tail string) string {
	if strings.HasPrefix(tail, "/") && (front == "" || strings.HasSuffix(front, "/")) {
		return front + tail[1:]
	}
	return front + tail
}

// resolveAll finds the paths of the diff that the declarations name. Whole paths
// come first; an abbreviated name is the one path that it can still mean when
// what other declarations mean is taken, because each line of a transcript is a
// file of its own. What can mean two paths, or none, stays unresolved.
func resolveAll(all []declared, covered map[string]bool) (named map[string]bool, unresolved []declared) {
	named = map[string]bool{}
	for _, d := range all {
		if path, whole := d.whole(covered); whole {
			named[path] = true
		} else {
			unresolved = append(unresolved, d)
		}
	}
	for {
		var left []declared
		for _, d := range unresolved {
			if path, found := d.resolve(covered, named); found {
				named[path] = true
			} else {
				left = append(left, d)
			}
		}
		if len(left) == len(unresolved) {
			return named, left
		}
		unresolved = left
	}
}

// whole finds a reading of the declaration as a whole path of the diff.
func (d declared) whole(covered map[string]bool) (path string, found bool) {
	for _, reading := range d.paths {
		if covered[reading] {
			return reading, true
		}
	}
	return "", false
}

// resolve finds the one path of the diff, not taken by others, that an
// abbreviated declaration means.
func (d declared) resolve(covered, taken map[string]bool) (path string, found bool) {
	for candidate := range covered {
		if taken[candidate] || !d.matches(candidate) {
			continue
		}
		if found {
			return "", false
		}
		path, found = candidate, true
	}
	return path, found
}

func (d declared) matches(candidate string) bool {
	for _, tail := range d.tails {
		if tail != "" && len(candidate) > len(tail) && strings.HasSuffix(candidate, tail) {
			return true
		}
	}
	// --stat pads names with spaces, so one that ends in a space loses it.
	trimmed := strings.TrimRight(candidate, " ")
	return trimmed != candidate && slices.Contains(d.paths, trimmed)
}
