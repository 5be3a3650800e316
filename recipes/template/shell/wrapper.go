package shell

import (
	"path"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// wrapper describes a command that runs the command in its arguments.
type wrapper struct {
	textOptions string // letters of options that take an argument
	longOptions string // long options that take one, each between spaces
	operands    int    // words between the options and the command
	assigns     bool   // NAME=value words come before the command
}

func wrapperOf(command string) (wrapper, bool) {
	switch command {
	case "command", "builtin", "nohup", "setsid", "busybox":
		return wrapper{}, true
	case "exec":
		return wrapper{textOptions: "a"}, true
	case "env":
		return wrapper{textOptions: "uC", longOptions: " --unset --chdir ", assigns: true}, true
	case "sudo":
		return wrapper{textOptions: "ughpCrtTUDR", longOptions: " --user --group --host --prompt --chdir ", assigns: true}, true
	case "doas":
		return wrapper{textOptions: "uC"}, true
	case "timeout":
		return wrapper{textOptions: "ks", longOptions: " --signal --kill-after ", operands: 1}, true
	case "nice":
		return wrapper{textOptions: "n", longOptions: " --adjustment "}, true
	case "ionice":
		return wrapper{textOptions: "cn"}, true
	case "chrt", "taskset", "chroot":
		return wrapper{operands: 1}, true
	case "stdbuf":
		return wrapper{textOptions: "ioe"}, true
	case "time":
		return wrapper{textOptions: "fo"}, true
	case "xargs":
		return wrapper{textOptions: "IPnLdEsa", longOptions: " --max-args --max-procs --max-lines --delimiter --arg-file --max-chars "}, true
	}
	return wrapper{}, false
}

// skip finds the index of the command that a wrapper at index 0 runs.
func (wr wrapper) skip(args []*syntax.Word) int {
	i := 1
	for ; i < len(args); i++ {
		text := staticText(args[i])
		switch {
		case text == "--":
			i++
		case wr.assigns && isAssignment(args[i]):
			continue
		case len(text) < 2 || text[0] != '-':
		case strings.HasPrefix(text, "--"):
			if strings.Contains(wr.longOptions, " "+text+" ") {
				i++
			}
			continue
		default:
			if strings.IndexByte(wr.textOptions, text[len(text)-1]) >= 0 && strings.IndexAny(text[1:], wr.textOptions) == len(text)-2 {
				i++
			}
			continue
		}
		break
	}
	return min(i+wr.operands, len(args))
}

func isAssignment(word *syntax.Word) bool {
	for i, u := range flatten(word) {
		if u.node == nil && u.char == '=' {
			return i > 0
		}
	}
	return false
}

// commandName is the name of a program without its folder. The variables that
// hold the user's shell count as shells.
func commandName(word *syntax.Word) string {
	if text := staticText(word); text != "" {
		return path.Base(text)
	}
	units := flatten(word)
	if len(units) == 1 {
		if p, ok := units[0].node.(*syntax.ParamExp); ok && p.Param != nil && (p.Param.Value == "SHELL" || p.Param.Value == "BASH") {
			return "bash"
		}
	}
	return ""
}

// shellDialect is the dialect of a shell's name.
func shellDialect(command string) (Dialect, bool) {
	switch strings.TrimPrefix(command, "-") {
	case "bash", "rbash", "zsh":
		return Bash, true
	case "sh", "dash", "ash", "ksh", "mksh", "yash":
		return POSIX, true
	}
	return 0, false
}

// runsRemote tells the commands that hand their arguments or their input to a
// shell somewhere else.
func runsRemote(command string) bool {
	switch command {
	case "ssh", "rsh", "mosh", "docker", "podman", "nerdctl", "kubectl", "oc", "lxc", "incus", "nsenter", "unshare", "machinectl", "vagrant":
		return true
	}
	return false
}

// parsesText tells the commands that give the text of their arguments to a
// shell in ways of their own.
func parsesText(command string) bool {
	switch command {
	case "alias", "ssh", "rsh", "mosh", "parallel", "watch", "tmux", "screen", "script", "crontab", "at", "batch", "expect",
		"complete", "compgen", "bind", "vagrant", "csh", "tcsh", "fish", "pwsh":
		return true
	}
	return false
}

// shellCall is how a shell is called.
type shellCall struct {
	command  int // index of the text of -c; 0 when there is none
	script   int // index of the script file; 0 when there is none
	login    bool
	markedAt int // index of an option that holds a marker; 0 when none does
}

// readsInput tells that the shell reads its source from its input.
func (s shellCall) readsInput() bool { return s.command == 0 && s.script == 0 }

// parseShellCall reads the options of a shell at index 0.
func (w *walker) parseShellCall(args []*syntax.Word) shellCall {
	var s shellCall
	text, command := "", false
	for i := 1; i < len(args); i++ {
		units := unitText(flatten(args[i]), w.c.text.spare)
		switch {
		case text != "":
			text = ""
		case len(units) > 1 && (units[0] == '-' || units[0] == '+') && units != "--":
			if len(w.marksIn(args[i])) > 0 {
				s.markedAt = i
			}
			if units == "--rcfile" || units == "--init-file" {
				text = units
			}
			if units[1] != '-' {
				command = command || units[0] == '-' && strings.Contains(units, "c")
				s.login = s.login || strings.Contains(units, "l")
				if strings.HasSuffix(units, "o") || strings.HasSuffix(units, "O") {
					text = units
				}
				if units[0] == '-' && strings.Contains(units, "s") && !command {
					return s
				}
			}
		case units == "--" || units == "-":
			if i+1 < len(args) {
				return s.operand(i+1, command)
			}
		default:
			return s.operand(i, command)
		}
	}
	return s
}

func (s shellCall) operand(i int, command bool) shellCall {
	if command {
		s.command = i
	} else {
		s.script = i
	}
	return s
}
