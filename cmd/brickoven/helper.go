package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/brickoven/brickoven/bricks/verdict"
	"github.com/brickoven/brickoven/recipes/extract"
	"github.com/brickoven/brickoven/recipes/value"
	"github.com/brickoven/brickoven/runner/exit"
)

// newHelperCommand builds the small filters that bricks written in shell use.
// Each reads stdin, prints one line, and exits 0 whatever the input is, because
// what decides is the line.
func newHelperCommand(a *app) *cobra.Command {
	helper := &cobra.Command{
		Use:   "helper",
		Short: "Read a verdict or a field out of an agent's answer",
		Long: `Filters for recipes written in shell. Each reads standard input, prints one
line and exits 0 whatever the input is; calling one wrongly exits 2.`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return helperUsage(fmt.Errorf("unknown helper %q", args[0]))
			}
			return nil
		},
		RunE: func(*cobra.Command, []string) error {
			return helperUsage(errors.New("name a helper: extract-json, extract-field, normalise-loop-verdict or normalise-verdict"))
		},
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	helper.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return helperUsage(err) })
	helper.AddCommand(
		newExtractJSONCommand(a),
		newExtractFieldCommand(a),
		a.filter("normalise-loop-verdict", "Print CONTINUE, DONE or STUCK for a token; anything unknown is STUCK", verdict.NormaliseLoop),
		a.filter("normalise-verdict", "Print WORK_VERIFIED, HOLLOW_SUCCESS or INSUFFICIENT_EVIDENCE for a token; anything unknown is INSUFFICIENT_EVIDENCE", verdict.Normalise),
	)
	return helper
}

func helperUsage(err error) error { return &failure{Code: exit.HelperUsage, Err: err} }

// filter makes a command out of a function from stdin's text to one line.
func (a *app) filter(name, short string, line func(text string) string) *cobra.Command {
	return &cobra.Command{
		Use:   name,
		Short: short,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return helperUsage(fmt.Errorf("%s takes no arguments, it reads standard input", name))
			}
			return nil
		},
		RunE: func(*cobra.Command, []string) error {
			text, err := readText(a.in)
			if err != nil {
				return &failure{Code: 1, Err: fmt.Errorf("reading standard input: %w", err)}
			}
			if _, err := fmt.Fprintln(a.out, line(text)); err != nil {
				return &failure{Code: 1, Err: fmt.Errorf("writing the answer: %w", err)}
			}
			return nil
		},
		SilenceUsage:  true,
		SilenceErrors: true,
	}
}

func newExtractJSONCommand(a *app) *cobra.Command {
	var field string
	command := a.filter("extract-json", "Print the JSON answer found in prose, {} when there is none", func(text string) string {
		return extractJSON(text, field)
	})
	command.Flags().StringVar(&field, "require-field", "", "take the last object that carries this `field`")
	return command
}

// extractJSON prints objects and lists only: a number in prose is no answer.
func extractJSON(text, field string) string {
	found, ok := extract.Find(text, extract.Options{RequireField: field})
	if !ok || found.Value == nil || value.IsScalar(found.Value) {
		return "{}"
	}
	return value.JSON(found.Value)
}

func newExtractFieldCommand(a *app) *cobra.Command {
	var field, fallback string
	command := a.filter("extract-field", "Print a field of a JSON object, or the default where it is absent or null", func(text string) string {
		return extractField(text, field, fallback)
	})
	command.Flags().StringVar(&field, "field", "", "the `name` of the field (required)")
	command.Flags().StringVar(&fallback, "default", "", "what to print when the field is absent or null")
	command.PreRunE = func(*cobra.Command, []string) error {
		if field == "" {
			return helperUsage(errors.New("extract-field needs --field"))
		}
		return nil
	}
	return command
}

// extractField keeps to one line: line breaks of a text become blanks.
func extractField(text, field, fallback string) string {
	v, err := value.Parse(text)
	if err != nil {
		return fallback
	}
	object, ok := v.(map[string]any)
	if !ok || object[field] == nil {
		return fallback
	}
	return strings.NewReplacer("\r\n", " ", "\n", " ", "\r", " ").Replace(value.Text(object[field]))
}
