package main

import (
	"io"
	"strings"
	"testing"
)

func TestCommandsAreFoundByTheNamesTheyHave(t *testing.T) {
	t.Parallel()
	a := &app{in: strings.NewReader(""), out: io.Discard, err: io.Discard}
	for _, c := range commands() {
		cmd := c.build(a)
		if cmd.Name() != c.name || len(cmd.Aliases) > 0 {
			t.Errorf("%s is built as %s, with the aliases %v", c.name, cmd.Name(), cmd.Aliases)
		}
		if only := a.rootCommand(c.name).Commands(); len(only) != 1 || only[0].Name() != c.name {
			t.Errorf("%s alone gives %v", c.name, only)
		}
	}
}
