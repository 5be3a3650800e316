package main

import (
	"slices"

	"github.com/spf13/cobra"
)

// command is one of the commands of the program, built when it is wanted.
type command struct {
	name  string
	build func(*app) *cobra.Command
}

func commands() []command {
	return []command{
		{"run", newRunCommand}, {"loop", newLoopCommand}, {"resume", newResumeCommand}, {"runs", newRunsCommand},
		{"watch", newWatchCommand}, {"report", newReportCommand}, {"ui", newUICommand}, {"mcp", newMCPCommand}, {"list", newListCommand}, {"show", newShowCommand}, {"explain", newExplainCommand},
		{"validate", newValidateCommand}, {"version", newVersionCommand}, {"helper", newHelperCommand},
		{"orch", newOrchCommand}, {"ledger", newLedgerCommand}, {"score", newScoreCommand}, {"schema", newSchemaCommand},
		{"test", newTestCommand}, {"session", newSessionCommand},
		{"explain-halt", func(a *app) *cobra.Command { return newExplainHaltCommand(a, &recorded{app: a}) }},
		{"ratchet", func(a *app) *cobra.Command { return newRatchetCommand(a, &recorded{app: a}) }},
		{"replay", newReplayCommand},
		{"ack", func(a *app) *cobra.Command { return newAckCommand(a, &projectDebt{recorded{app: a}}) }},
		{"init", newInitCommand}, {"gendocs", newGendocsCommand},
	}
}

// isCommand tells whether a word names a command.
func isCommand(word string) bool {
	return slices.ContainsFunc(commands(), func(c command) bool { return c.name == word })
}
