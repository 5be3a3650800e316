package recipes

import (
	"path"
	"strings"

	"github.com/brickoven/brickoven/recipes/template/shell"
)

// Command is a shell command of the document; it is compiled when the tree is
// resolved, because its shell may come from the recipe's defaults.
type Command struct {
	Source string
	Pos    Position
	// Script is the compiled command. It is nil for interpreters other than a
	// shell, which take no placeholders and run [Command.Plain], and before the
	// tree is resolved.
	Script *shell.Command

	spot spot
}

// Plain is the text for an interpreter that is no shell: the source with \{{ as
// the {{ that it stands for.
func (c *Command) Plain() string { return strings.ReplaceAll(c.Source, `\{{`, `{{`) }

// IsBuiltin reports whether commands run in process rather than in a shell of
// the system.
func (s Shell) IsBuiltin() bool { return len(s) == 1 && s[0] == "builtin" }

// Dialect is the language of the shell's commands. ok is false for an
// interpreter that is no shell, such as python3.
func (s Shell) Dialect() (dialect shell.Dialect, ok bool) {
	program := "bash"
	for _, word := range s {
		program = path.Base(strings.ReplaceAll(word, `\`, "/"))
		if program != "env" {
			break
		}
	}
	switch strings.TrimSuffix(program, ".exe") {
	case "builtin":
		if s.IsBuiltin() {
			return shell.Builtin, true
		}
	case "bash":
		return shell.Bash, true
	case "sh", "dash", "ash":
		return shell.POSIX, true
	}
	return shell.Bash, false
}
