package shell

// The codes of notes.
const (
	// InterpreterHeredoc: the value goes into the source of another
	// interpreter through a heredoc.
	InterpreterHeredoc = "interpreter-heredoc"
	// InterpreterCode: the value is part of the code argument of another
	// interpreter (python3 -c, awk, sed, jq).
	InterpreterCode = "interpreter-code"
	// ReparseAllowed: a second shell parses the value, and the step allows it.
	ReparseAllowed = "reparse-allowed"
	// FormatString: the value is the format of printf, which reads % and \.
	FormatString = "format-string"
	// CommandName: the value decides which command runs.
	CommandName = "command-name"
	// EnvironmentReset: a command such as sudo may clear the environment, and
	// the inner shell would find the value empty.
	EnvironmentReset = "environment-reset"
)

// Note is a remark about a placeholder that works, but perhaps not as meant.
type Note struct {
	Line, Column int // within the source, from 1, the column in characters
	Code         string
	Message      string
}
