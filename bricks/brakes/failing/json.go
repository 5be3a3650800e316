package failing

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// decodeObject decodes the report's JSON object. Runners print notices before
// and after it, so the first line that begins with a brace begins it.
func decodeObject(data []byte, into any) error {
	start := 0
	if !bytes.HasPrefix(bytes.TrimSpace(data), []byte("{")) {
		if start = bytes.Index(data, []byte("\n{")); start < 0 {
			return errors.New("it holds no JSON object")
		}
	}
	return json.NewDecoder(bytes.NewReader(data[start:])).Decode(into)
}

type jestReport struct {
	TestResults *[]struct {
		Name       string
		Status     string
		Message    string
		Assertions []struct {
			FullName  string
			Title     string
			Ancestors []string `json:"ancestorTitles"`
			Status    string
			Messages  []string `json:"failureMessages"`
			Location  *struct{ Line int }
		} `json:"assertionResults"`
	}
}

func parseJest(data []byte, r *report) error {
	var doc jestReport
	if err := decodeObject(data, &doc); err != nil {
		return err
	}
	if doc.TestResults == nil {
		return errors.New("it has no testResults")
	}
	for _, file := range *doc.TestResults {
		name, failed := r.relative(file.Name), false
		for _, test := range file.Assertions {
			id := name + "::" + strings.Join(append(test.Ancestors, test.Title), " > ")
			if test.Title == "" {
				id = name + "::" + test.FullName
			}
			switch test.Status {
			case "passed":
				r.passed = append(r.passed, id)
			case "failed":
				failed = true
				line := 0
				if test.Location != nil {
					line = test.Location.Line
				}
				r.fail(id, place(name, line), strings.Join(test.Messages, "\n"))
			case "pending", "skipped", "todo", "disabled":
				r.skipped = append(r.skipped, id)
			default:
				return fmt.Errorf("test %q has the unknown status %q", id, test.Status)
			}
		}
		if file.Status == "failed" && !failed {
			r.broken = append(r.broken, name)
			r.fail(name, located(file.Message), file.Message)
		}
	}
	return nil
}

// pytestStage is setup, call or teardown of a test.
type pytestStage struct {
	Outcome string
	Text    string `json:"longrepr"`
	Crash   *struct {
		Path    string
		Line    int `json:"lineno"`
		Message string
	}
}

type pytestReport struct {
	ExitCode *int
	Tests    []struct {
		ID      string `json:"nodeid"`
		Outcome string
		Setup   *pytestStage
		Call    *pytestStage
		After   *pytestStage `json:"teardown"`
	}
	Collectors []struct {
		ID      string `json:"nodeid"`
		Outcome string
		Text    string `json:"longrepr"`
	}
}

// pytest's own exit codes from 2 to 4 say that it did not get through.
const (
	pytestInterrupted = 2
	pytestUsage       = 4
)

func parsePytest(data []byte, r *report) error {
	var doc pytestReport
	if err := decodeObject(data, &doc); err != nil {
		return err
	}
	if doc.ExitCode == nil {
		return errors.New("it has no exitcode")
	}
	for _, collector := range doc.Collectors {
		if collector.Outcome == "failed" || collector.Outcome == "error" {
			r.broken = append(r.broken, collector.ID)
			r.fail(collector.ID, located(collector.Text), collector.Text)
		}
	}
	// A file that cannot be collected interrupts pytest too, and is a failure.
	if *doc.ExitCode >= pytestInterrupted && *doc.ExitCode <= pytestUsage && len(r.failures) == 0 {
		return fmt.Errorf("pytest did not get through (exit code %d)", *doc.ExitCode)
	}
	for _, test := range doc.Tests {
		switch test.Outcome {
		case "passed", "xpassed": // a strict one is reported as failed
			r.passed = append(r.passed, test.ID)
		case "skipped", "xfailed":
			r.skipped = append(r.skipped, test.ID)
		case "failed", "error":
			location, text := pytestFailure(test.Setup, test.Call, test.After)
			r.fail(test.ID, location, text)
		default:
			return fmt.Errorf("test %q has the unknown outcome %q", test.ID, test.Outcome)
		}
	}
	return nil
}

// pytestFailure finds the stage that failed.
func pytestFailure(stages ...*pytestStage) (location, text string) {
	for _, stage := range stages {
		if stage == nil || stage.Outcome != "failed" && stage.Outcome != "error" {
			continue
		}
		if stage.Crash != nil {
			return place(stage.Crash.Path, stage.Crash.Line), stage.Crash.Message
		}
		return located(stage.Text), stage.Text
	}
	return "", ""
}
