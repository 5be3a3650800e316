package score

import (
	"encoding/xml"
	"fmt"
	"io"
)

type junitSuite struct {
	XMLName  xml.Name    `xml:"testsuite"`
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Errors   int         `xml:"errors,attr"`
	Time     string      `xml:"time,attr,omitempty"`
	Cases    []junitCase `xml:"testcase"`
}

type junitCase struct {
	Class   string        `xml:"classname,attr"`
	Name    string        `xml:"name,attr"`
	Failure *junitMessage `xml:"failure"`
	Error   *junitMessage `xml:"error"`
}

type junitMessage struct {
	Message string `xml:"message,attr"`
}

// WriteJUnit writes the result as a JUnit test suite with a case for each of
// the three conditions of health. With nothing to examine the first case is an
// error, not a failure.
func (r Result) WriteJUnit(w io.Writer) error {
	name := r.Name
	if name == "" {
		name = "loop"
	}
	s := junitSuite{Name: "loop score: " + name}
	if r.TotalDuration != nil {
		s.Time = r.TotalDuration.String()
	}
	add := func(what string, ok bool, message string) {
		c := junitCase{Class: "loop." + name, Name: what}
		switch {
		case ok:
		case r.Status == Nothing:
			c.Error = &junitMessage{Message: message}
			s.Errors++
		default:
			c.Failure = &junitMessage{Message: message}
			s.Failures++
		}
		s.Cases = append(s.Cases, c)
		s.Tests++
	}
	add("converged", r.Converged, r.Reasoning)
	add("no doom loop", !r.DoomLoopFired, r.Reasoning)
	add("waste within limit", r.WastedIterations <= r.MaxWasted,
		fmt.Sprintf("%d wasted iteration(s), %d tolerated", r.WastedIterations, r.MaxWasted))

	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	enc := xml.NewEncoder(w)
	enc.Indent("", "  ")
	if err := enc.Encode(s); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}
