package process

import (
	"fmt"
	"strings"
)

// SurvivorError tells that processes did not end, not even with KILL.
type SurvivorError struct{ Left []Ident }

func (e *SurvivorError) Error() string {
	var text strings.Builder
	text.WriteString("still running:")
	for _, id := range e.Left {
		fmt.Fprintf(&text, " %d", id.PID)
	}
	return text.String()
}
