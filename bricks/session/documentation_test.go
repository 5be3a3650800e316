package session

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

func TestTheDocumentationHasTheTableOfReasons(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/loops.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := 0
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(line, "|")
		if len(cells) != 6 {
			continue
		}
		for _, row := range Reasons() {
			halt := fmt.Sprintf(" `%s` ", row.Halt)
			if row.Halt == "" {
				halt = " that of the brake "
			}
			same := row.When == "" || cells[2] == " "+row.When+" "
			if cells[1] == fmt.Sprintf(" `%s` ", row.Stop) && cells[3] == halt && same && strings.Contains(cells[4], string(row.Author)) {
				rows++
			}
		}
	}
	if rows != len(Reasons()) {
		t.Errorf("%d of %d rows are in the documentation", rows, len(Reasons()))
	}
}
