// Package page makes HTML of a report: one document that needs neither network
// nor scripts to be read, and that no text of a run can turn into markup.
//
// Every text goes through html/template, and the document's own content policy
// allows the one style sheet and the one script that it brings along, by their
// hashes, and nothing else.
package page

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"html/template"
	"io"
	"sync"
	"time"

	"github.com/brickoven/brickoven/runner/journal"
	"github.com/brickoven/brickoven/runner/report"
)

//go:embed style.css
var style string

//go:embed script.js
var script string

//go:embed document.html
var documentText string

//go:embed report.html
var reportText string

//go:embed steps.html
var stepsText string

//go:embed index.html
var indexText string

// Options say how a page is made.
type Options struct {
	// Zone is where times are told; nil is UTC.
	Zone *time.Location
	// Live is set for a page that a server gives, and that renews itself.
	Live bool
}

// templates are parsed once, when the first page is made.
var templates = sync.OnceValues(func() (*template.Template, error) {
	t := template.New("").Funcs(functions())
	for _, text := range []string{documentText, reportText, stepsText, indexText} {
		if _, err := t.Parse(text); err != nil {
			return nil, err
		}
	}
	return t, nil
})

// document is what every page has around it.
type document struct {
	Title   string
	Policy  string
	Style   template.CSS
	Script  template.JS
	Live    bool
	Renew   bool // without scripts
	Body    template.HTML
	Symbols template.HTML
}

// Report writes the page of a run.
func Report(w io.Writer, r *report.Run, o Options) error {
	v := newView(r, o)
	return render(w, "report", v, r.Recipe+" "+r.ID+": "+r.Title(), o, o.Live && !r.End.Over)
}

// Index writes the page that lists runs, the newest first.
func Index(w io.Writer, runs []journal.Summary, folder string, o Options) error {
	return render(w, "index", newIndex(runs, folder, o), "Runs", o, o.Live)
}

// Problem writes a page that says what is wrong.
func Problem(w io.Writer, title, text string) error {
	return render(w, "problem", map[string]string{"Title": title, "Text": text}, title, Options{}, false)
}

func render(w io.Writer, name string, data any, title string, o Options, renew bool) error {
	t, err := templates()
	if err != nil {
		return err
	}
	var body bytes.Buffer
	if err := t.ExecuteTemplate(&body, name, data); err != nil {
		return err
	}
	return t.ExecuteTemplate(w, "document", document{
		Title: title, Policy: policy(o.Live), Live: o.Live, Renew: renew, Symbols: symbols,
		// All three are made here: the first two are files of this package, and
		// the third came out of a template.
		Style: template.CSS(style), Script: template.JS(script), Body: template.HTML(body.String()),
	})
}

// policy lets a page use its own style and script, and a live one ask its server
// for what is new.
func policy(live bool) string {
	text := "default-src 'none'; style-src " + hash(style) + "; script-src " + hash(script) +
		"; img-src data:; base-uri 'none'; form-action 'none'"
	if live {
		text += "; connect-src 'self'"
	}
	return text
}

// Policy is the content policy of a page as a server sends it beside the page.
func Policy() string { return policy(true) + "; frame-ancestors 'none'" }

func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}
