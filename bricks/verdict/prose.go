package verdict

import "strings"

// proseToken finds a verdict alone on its line, outside fenced blocks. ok is
// false when there is none or when two lines disagree.
func proseToken(text string) (token string, ok bool) {
	fence := ""
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if mark := fenceMark(line); mark != "" {
			switch {
			case fence == "":
				fence = mark
			case mark[0] == fence[0] && len(mark) >= len(fence) && mark == line:
				fence = ""
			}
			continue
		}
		if fence != "" {
			continue
		}
		found := loneToken(line)
		if found == "" {
			continue
		}
		if token != "" && token != found {
			return "", false
		}
		token = found
	}
	return token, token != ""
}

// fenceMark is the run of backquotes or tildes that opens or closes a fenced
// block, empty for any other line.
func fenceMark(line string) string {
	for _, c := range []string{"`", "~"} {
		if n := len(line) - len(strings.TrimLeft(line, c)); n >= 3 {
			return line[:n]
		}
	}
	return ""
}

// loneToken reads a line that is nothing but a verdict in capitals, around
// which markdown emphasis, a verdict: label and one full stop may stand. An odd
// emphasis mark is a list item or a slip, and no verdict.
func loneToken(line string) string {
	if strings.Count(line, "*")%2 != 0 || strings.Count(line, "_")%2 != 0 {
		return ""
	}
	rest := plain(line)
	if label, after, found := strings.Cut(rest, ":"); found && upper(plain(label)) == "VERDICT" {
		rest = plain(after)
	}
	switch rest = plain(strings.TrimSuffix(rest, ".")); rest {
	case Continue, Done, Stuck:
		return rest
	}
	return ""
}

// plain takes emphasis marks and blanks off both ends.
func plain(text string) string { return strings.Trim(text, "*_ \t") }
