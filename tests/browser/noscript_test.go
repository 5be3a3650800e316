package browser

import (
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/chromedp/cdproto/domsnapshot"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// nothing makes the report of a run that died before its first record.
func (p *project) nothing() string {
	p.t.Helper()
	state := filepath.Join(p.dir, "state")
	dir := filepath.Join(state, "runs", "20260102-030405-00000000")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		p.t.Fatal(err)
	}
	return p.report("--state-dir", state, filepath.Base(dir))
}

// withoutScripts turns scripts off for the pages that the tab opens next.
func (p *tab) withoutScripts() {
	p.t.Helper()
	if _, err := chromedp.Call(p.ctx, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true}); err != nil {
		p.t.Fatal(err)
	}
}

// rendered is what a reader sees, taken from the layout: no script is run for it.
func (p *tab) rendered() string {
	p.t.Helper()
	shot, err := chromedp.Call(p.ctx, domsnapshot.CaptureSnapshot, domsnapshot.CaptureSnapshotParams{ComputedStyles: []string{}})
	if err != nil {
		p.t.Fatal(err)
	}
	var texts []string
	for _, doc := range shot.Documents {
		for _, i := range doc.Layout.Text {
			if i >= 0 {
				texts = append(texts, shot.Strings[i])
			}
		}
	}
	return strings.Join(texts, "")
}

// visit goes to a file without waiting for it, which would take a script.
func (p *tab) visit(file string) {
	p.t.Helper()
	where := (&url.URL{Scheme: "file", Path: file}).String()
	if _, err := chromedp.Call(p.ctx, page.Navigate, page.NavigateParams{URL: where}); err != nil {
		p.t.Fatal(err)
	}
}
