package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/brickoven/brickoven/runner/exit"
	"github.com/brickoven/brickoven/runner/report/page"
)

func newReportCommand(a *app) *cobra.Command {
	o, file := &runsOptions{format: "text"}, ""
	cmd := &cobra.Command{
		Use: "report [RUN]", Short: "Make a page of a run that a person would rather look at than logs",
		Long: `Make one self-contained HTML page of a run: how it ended and what to do now, the
rounds of its loops with verdicts and evidence, where time and money went, the
recipe as a graph, a timeline, and the output of every step. The page needs
neither network nor scripts to be read. Without RUN, of the newest run; of one
that still runs, as it stands now.

Outputs that would make the page too large are cut, and the page says so and
names the command that prints the whole.
` + exitStatus(),
		Args: cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			dir, err := o.run(a, args)
			if err != nil {
				return err
			}
			return a.writeReport(dir, file)
		},
	}
	flags := cmd.Flags()
	flags.StringVarP(&o.workDir, "working-dir", "C", ".", "the folder whose runs are looked at")
	flags.StringVar(&o.stateDir, "state-dir", "", "the state folder")
	flags.StringVarP(&file, "output", "o", "report.html", "write the page to this file; - is standard output")
	return cmd
}

// writeReport makes the page before it touches the file, and replaces the file
// as a whole.
func (a *app) writeReport(dir, file string) error {
	run, err := a.readReport(dir, time.Now())
	if err != nil {
		return &failure{exit.Failed, err}
	}
	var text bytes.Buffer
	if err := page.Report(&text, run, page.Options{Zone: time.Local}); err != nil {
		return &failure{exit.Failed, err}
	}
	if file == "-" {
		if _, err := a.out.Write(text.Bytes()); err != nil {
			return &failure{exit.Failed, err}
		}
		return nil
	}
	if strings.TrimSpace(file) == "" {
		return &failure{exit.Usage, errors.New("--output needs the name of a file")}
	}
	if err := a.replaceFile(file, text.Bytes()); err != nil {
		return &failure{exit.Failed, fmt.Errorf("the report: %w", err)}
	}
	fmt.Fprintln(a.out, file)
	return nil
}

// replaceFile writes a file that only its owner may read, because outputs are
// in it. What is no plain file, such as a pipe, is written to in place.
func (a *app) replaceFile(file string, data []byte) error {
	if info, err := os.Stat(file); err == nil && !info.Mode().IsRegular() {
		if info.IsDir() {
			return fmt.Errorf("%s is a folder", file)
		}
		return os.WriteFile(file, data, 0o600)
	}
	// Beside the file, because only within a file system a name can be moved.
	temp, err := os.CreateTemp(filepath.Dir(file), ".brickoven-report-*")
	if err != nil {
		return err
	}
	_, err = temp.Write(data)
	if err = errors.Join(err, temp.Close()); err == nil {
		err = os.Rename(temp.Name(), file)
	}
	if err != nil {
		return errors.Join(err, os.Remove(temp.Name()))
	}
	return nil
}
