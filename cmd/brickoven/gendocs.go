package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/brickoven/brickoven/runner/exit"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// newGendocsCommand writes the pages that follow from the commands themselves.
// It is hidden, because only those who build brickoven need it.
func newGendocsCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "gendocs DIR", Short: "Write a page for each command, and the man page", Hidden: true,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			pages := commandPages(cmd.Root())
			for _, name := range sortedNames(pages) {
				path := filepath.Join(args[0], filepath.FromSlash(name))
				if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
					return &failure{exit.Failed, err}
				}
				if err := os.WriteFile(path, []byte(pages[name]), 0o644); err != nil {
					return &failure{exit.Failed, err}
				}
				fmt.Fprintln(a.out, path)
			}
			return nil
		},
	}
}

// commandPages are the pages of docs that are made from the commands, by path.
func commandPages(root *cobra.Command) map[string]string {
	commands := visible(root)
	pages := map[string]string{"brickoven.1": manPage(commands)}
	var index strings.Builder
	index.WriteString("# Commands\n\nThese pages are what `brickoven COMMAND --help` says.\n\n| command | what it does |\n|---|---|\n")
	for _, cmd := range commands {
		name := strings.ReplaceAll(cmd.CommandPath(), " ", "-") + ".md"
		pages["commands/"+name] = commandPage(cmd)
		fmt.Fprintf(&index, "| [`%s`](%s) | %s |\n", cmd.CommandPath(), name, cmd.Short)
	}
	pages["commands/README.md"] = index.String()
	return pages
}

// visible lists a command and all below it, in the order of their paths. The
// completion that cobra adds by itself is left out.
func visible(root *cobra.Command) []*cobra.Command {
	var list []*cobra.Command
	var visit func(cmd *cobra.Command)
	visit = func(cmd *cobra.Command) {
		if cmd.Hidden || cmd.Name() == "help" || cmd.Name() == "completion" {
			return
		}
		list = append(list, cmd)
		for _, sub := range cmd.Commands() {
			visit(sub)
		}
	}
	visit(root)
	slices.SortFunc(list, func(a, b *cobra.Command) int { return strings.Compare(a.CommandPath(), b.CommandPath()) })
	return list
}

// description is the long help of a command without the table of exit codes,
// which each page would repeat.
func description(cmd *cobra.Command) string {
	text := cmd.Long
	if text == "" {
		text = cmd.Short
	}
	return strings.TrimSpace(strings.Replace(text, exitStatus(), "", 1))
}

func commandPage(cmd *cobra.Command) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n%s.\n\n```text\n%s\n```\n", cmd.CommandPath(), strings.TrimSuffix(cmd.Short, "."), cmd.UseLine())
	if text := description(cmd); text != cmd.Short {
		fmt.Fprintf(&b, "\n```text\n%s\n```\n", text)
	}
	if cmd.Example != "" {
		fmt.Fprintf(&b, "\n```console\n%s\n```\n", strings.TrimSpace(cmd.Example))
	}
	if rows := flagRows(cmd); len(rows) > 0 {
		b.WriteString("\n| flag | meaning |\n|---|---|\n")
		for _, row := range rows {
			fmt.Fprintf(&b, "| `%s` | %s |\n", strings.ReplaceAll(row.names, "|", `\|`), strings.ReplaceAll(row.meaning, "|", `\|`))
		}
	}
	return b.String()
}

// flagRow is one flag as a table shows it.
type flagRow struct{ names, meaning string }

func flagRows(cmd *cobra.Command) []flagRow {
	var rows []flagRow
	cmd.NonInheritedFlags().VisitAll(func(f *pflag.Flag) {
		if f.Hidden || f.Name == "help" || f.Name == "version" {
			return
		}
		kind, meaning := pflag.UnquoteUsage(f)
		names := "--" + f.Name
		if f.Shorthand != "" {
			names = "-" + f.Shorthand + ", " + names
		}
		if kind != "" {
			names += " " + flagKind(kind)
		}
		if !slices.Contains([]string{"", "false", "0", "[]", "0s"}, f.DefValue) {
			meaning += " (default " + f.DefValue + ")"
		}
		rows = append(rows, flagRow{names, meaning})
	})
	return rows
}

// flagKind is a flag's type in the words of a reader.
func flagKind(kind string) string {
	switch kind {
	case "string", "strings", "stringArray":
		return "TEXT"
	case "int", "float":
		return "N"
	}
	return strings.ToUpper(kind)
}

// manPage is the one man page of all commands, in the man macros of roff.
func manPage(commands []*cobra.Command) string {
	var b strings.Builder
	root := commands[0]
	b.WriteString(".TH BRICKOVEN 1\n.SH NAME\n")
	fmt.Fprintf(&b, "brickoven \\- %s\n.SH SYNOPSIS\n", roff(root.Short))
	for _, cmd := range commands[1:] {
		if !cmd.HasSubCommands() {
			fmt.Fprintf(&b, ".B %s\n.br\n", roff(strings.TrimSuffix(cmd.UseLine(), " [flags]")))
		}
	}
	fmt.Fprintf(&b, ".SH DESCRIPTION\n%s\n.SH COMMANDS\n", roff(description(root)))
	for _, cmd := range commands[1:] {
		fmt.Fprintf(&b, ".SS %s\n%s\n", roff(strings.TrimSuffix(cmd.UseLine(), " [flags]")), roff(description(cmd)))
		for _, row := range flagRows(cmd) {
			fmt.Fprintf(&b, ".TP\n.B %s\n%s\n", roff(row.names), roff(row.meaning))
		}
	}
	b.WriteString(".SH EXIT STATUS\n")
	for _, code := range exit.Codes() {
		fmt.Fprintf(&b, ".TP\n.B %d\n%s\n", code.Number, roff(code.Meaning))
	}
	return b.String()
}

// roff writes a text so that no line of it is read as a request.
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(text)
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		switch {
		case line == "":
			lines[i] = ".PP"
		case line[0] == '.' || line[0] == '\'':
			lines[i] = `\&` + line
		}
	}
	return strings.Join(lines, "\n")
}
