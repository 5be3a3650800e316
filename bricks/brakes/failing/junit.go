package failing

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"strconv"
	"strings"
)

type junitCase struct {
	Class    string         `xml:"classname,attr"`
	Name     string         `xml:"name,attr"`
	File     string         `xml:"file,attr"`
	Line     string         `xml:"line,attr"`
	Failures []junitProblem `xml:"failure"`
	Errors   []junitProblem `xml:"error"`
	Skipped  *struct{}      `xml:"skipped"`
}

type junitProblem struct {
	Message string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}

// parseJUnit reads test cases wherever they stand, because producers nest
// suites differently and reports are often several documents in a row.
func parseJUnit(data []byte, r *report) error {
	decoder := xml.NewDecoder(bytes.NewReader(data))
	var suites []string
	seen := false
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		switch token := token.(type) {
		case xml.StartElement:
			switch token.Name.Local {
			case "testsuites", "testsuite":
				seen = true
				suites = append(suites, attribute(token, "name"))
			case "testcase":
				var c junitCase
				if err := decoder.DecodeElement(&c, &token); err != nil {
					return err
				}
				c.report(suites, r)
			}
		case xml.EndElement:
			if name := token.Name.Local; (name == "testsuites" || name == "testsuite") && len(suites) > 0 {
				suites = suites[:len(suites)-1]
			}
		}
	}
	if !seen {
		return errors.New("it holds no test suite")
	}
	return nil
}

func attribute(e xml.StartElement, name string) string {
	for _, attr := range e.Attr {
		if attr.Name.Local == name {
			return attr.Value
		}
	}
	return ""
}

func (c junitCase) report(suites []string, r *report) {
	class := c.Class
	if class == "" && len(suites) > 0 {
		class = suites[len(suites)-1]
	}
	id := class + "::" + c.Name
	problems := append(c.Failures, c.Errors...)
	switch {
	case len(problems) > 0:
		// A case without a name stands for a class that could not be set up.
		if c.Name == "" {
			id = class
			r.broken = append(r.broken, class)
		}
		for _, problem := range problems {
			text := problem.Message
			if strings.TrimSpace(text) == "" {
				text = problem.Text
			}
			r.fail(id, c.location(problem.Text), text)
		}
	case c.Skipped != nil:
		r.skipped = append(r.skipped, id)
	default:
		r.passed = append(r.passed, id)
	}
}

// location prefers what the failure's own text says, because file and line of a
// case are those of the test, not of the assertion.
func (c junitCase) location(text string) string {
	if found := located(text); found != "" {
		return found
	}
	line, err := strconv.Atoi(c.Line)
	if err != nil {
		line = 0
	}
	return place(c.File, line)
}
