package main

import (
	"encoding/xml"
	"fmt"
	"io"
	"os"
	"strings"
	"time"
	"unicode/utf8"
)

// The JUnit report, in the part of the format that CI systems read.
type junitSuites struct {
	XMLName  xml.Name     `xml:"testsuites"`
	Tests    int          `xml:"tests,attr"`
	Failures int          `xml:"failures,attr"`
	Errors   int          `xml:"errors,attr"`
	Skipped  int          `xml:"skipped,attr"`
	Time     string       `xml:"time,attr"` // seconds
	Suites   []junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Errors   int         `xml:"errors,attr"`
	Skipped  int         `xml:"skipped,attr"`
	Time     string      `xml:"time,attr"`
	Cases    []junitCase `xml:"testcase"`

	seconds float64
}

type junitCase struct {
	Name    string        `xml:"name,attr"`
	Class   string        `xml:"classname,attr"`
	Time    string        `xml:"time,attr"`
	Failure *junitFailure `xml:"failure,omitempty"`
	Error   *junitFailure `xml:"error,omitempty"`
	Skipped *struct{}     `xml:"skipped,omitempty"`
	Err     string        `xml:"system-err,omitempty"`
}

type junitFailure struct {
	Message string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.3f", d.Seconds()) }

// add counts a case in.
func (s *junitSuite) add(c junitCase, took time.Duration) {
	c.Name, c.Class, c.Err = xmlText(c.Name), xmlText(c.Class), xmlText(c.Err)
	c.Time = seconds(took)
	for _, f := range []*junitFailure{c.Failure, c.Error} {
		if f != nil {
			f.Message, f.Text = xmlText(f.Message), xmlText(f.Text)
		}
	}
	s.Tests++
	s.seconds += took.Seconds()
	switch {
	case c.Failure != nil:
		s.Failures++
	case c.Error != nil:
		s.Errors++
	case c.Skipped != nil:
		s.Skipped++
	}
	s.Cases = append(s.Cases, c)
}

func junitReport(suites []junitSuite) junitSuites {
	report := junitSuites{Suites: suites}
	total := 0.0
	for i := range suites {
		s := &suites[i]
		s.Time = fmt.Sprintf("%.3f", s.seconds)
		report.Tests += s.Tests
		report.Failures += s.Failures
		report.Errors += s.Errors
		report.Skipped += s.Skipped
		total += s.seconds
	}
	report.Time = fmt.Sprintf("%.3f", total)
	return report
}

func (r junitSuites) write(out io.Writer) error {
	data, err := xml.MarshalIndent(r, "", "  ")
	if err != nil {
		return fmt.Errorf("the JUnit report: %w", err)
	}
	_, err = io.WriteString(out, xml.Header+string(data)+"\n")
	return err
}

func (r junitSuites) writeFile(path string) (err error) {
	file, err := os.Create(path)
	if err != nil {
		return fmt.Errorf("--junit: %w", err)
	}
	defer func() {
		if closeErr := file.Close(); err == nil {
			err = closeErr
		}
	}()
	return r.write(file)
}

// xmlText keeps out of a report what XML cannot hold, however it is escaped.
func xmlText(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\t', r == '\n', r == '\r':
			return r
		case r < ' ', r == 0xfffe, r == 0xffff, r >= 0xd800 && r < 0xe000:
			return utf8.RuneError
		}
		return r
	}, strings.ToValidUTF8(text, string(utf8.RuneError)))
}
