package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// codeOption is the option behind which an interpreter takes source; "first"
// means its first operand.
func codeOption(command string) string {
	switch {
	case strings.HasPrefix(command, "python"):
		return "c"
	case command == "node" || command == "nodejs" || command == "deno" || command == "bun":
		return "ep"
	case command == "perl" || command == "ruby" || command == "lua" || command == "Rscript" || command == "osascript":
		return "e"
	case command == "php":
		return "r"
	case command == "psql" || command == "mysql" || command == "mariadb":
		return "ce"
	case command == "awk" || command == "gawk" || command == "mawk" || command == "nawk" || command == "sed" || command == "gsed" || command == "jq" || command == "yq":
		return "first"
	}
	return ""
}

// interpreter notes values in the source of another interpreter: the shell
// passes them whole, but the interpreter parses them.
func (w *walker) interpreter(command string, args []*syntax.Word) {
	option := codeOption(command)
	if option == "" {
		return
	}
	takesNext := false
	for _, word := range args[1:] {
		text := unitText(flatten(word), w.c.text.spare)
		isOption := len(text) > 1 && text[0] == '-'
		switch {
		case option == "first" && isOption && (text == "--arg" || text == "--argjson"):
			return
		case option == "first" && isOption:
			continue
		case option == "first" || takesNext:
			for _, m := range w.marksIn(word) {
				w.c.note(m, InterpreterCode, m.quoted+" is part of source that "+command+" parses; pass it as an argument or read it from the environment")
			}
			if option == "first" {
				return
			}
		}
		takesNext = isOption && text[1] != '-' && strings.ContainsAny(text[len(text)-1:], option)
	}
}
