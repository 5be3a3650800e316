package report

import (
	"fmt"
	"strings"

	"github.com/brickoven/brickoven/recipes/value"
)

// braked takes what the brakes of the loop decided: what fails, and what became
// of the round's changes.
func (l *Loop) braked(text string) {
	note, isMap := value.Guess(text).(map[string]any)
	if !isMap {
		return
	}
	number, _ := count(note["round"])
	failing, known := failingIn(note["failing"])
	if number == 0 {
		l.Before = failing
		return
	}
	for _, r := range l.Rounds {
		if r.Number != number {
			continue
		}
		// That changes are kept goes without saying where nothing is measured.
		if known || value.Text(note["tree"]) != "accept" {
			r.Decision = decision(note)
		}
		if known {
			r.Failing = failing
			size, _ := note["failing"].(map[string]any)["size"].(value.Number)
			r.Numbers[FailingTests] = size
		}
	}
}

// failingIn gives the tests of a failing set; known is false where it could not
// be read, which is not the same as none.
func failingIn(v any) (tests []string, known bool) {
	set, _ := v.(map[string]any)
	if value.Text(set["state"]) != "known" {
		return nil, false
	}
	return append([]string{}, lines(set["tests"])...), true
}

// fates are what may become of a round's changes.
var fates = map[string]string{"accept": "accepted", "keep": "left as it is", "revert": "taken back"}

func decision(note map[string]any) string {
	fate, known := fates[value.Text(note["tree"])]
	if !known {
		return ""
	}
	broke := lines(note["broke"])
	switch len(broke) {
	case 0:
		return fate
	case 1, 2, 3:
		return fate + ": it broke " + strings.Join(broke, ", ")
	}
	return fmt.Sprintf("%s: it broke %s and %d more", fate, strings.Join(broke[:3], ", "), len(broke)-3)
}
