package browser

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// patience bounds what must happen some time; nothing is measured by it.
const patience = 60 * time.Second

// tab is one tab of the browser. A message on its console fails the test.
type tab struct {
	t   *testing.T
	ctx context.Context

	mu       sync.Mutex
	messages []string
	allowed  []string
}

func newTab(t *testing.T) *tab {
	t.Helper()
	p := &tab{t: t}
	ctx, end := chromedp.NewContext(chrome, chromedp.WithListener(p.listen))
	t.Cleanup(end)
	p.ctx = ctx
	// The tab lives as long as the context of the first call.
	if err := chromedp.Do(ctx, chromedp.Navigate("about:blank")); err != nil {
		t.Fatal(err)
	}
	if _, err := chromedp.Call(ctx, log.Enable, cdp.Empty{}); err != nil {
		t.Fatal(err)
	}
	// Tabs that stand behind others would get no keys and no timers.
	if _, err := chromedp.Call(ctx, emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: true}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.quiet)
	return p
}

func (p *tab) listen(ev any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch ev := ev.(type) {
	case *runtime.EventConsoleAPICalled:
		p.messages = append(p.messages, "console "+string(ev.Type))
	case *runtime.EventExceptionThrown:
		p.messages = append(p.messages, "exception "+ev.ExceptionDetails.Text)
	case *log.EventEntryAdded:
		p.messages = append(p.messages, "log "+ev.Entry.Text)
	case *page.EventJavascriptDialogOpening:
		p.messages = append(p.messages, "dialog "+ev.Message)
	}
}

// allow lets console messages with a text pass.
func (p *tab) allow(text string) { p.allowed = append(p.allowed, text) }

// quiet fails the test for every message that is not allowed.
func (p *tab) quiet() {
	p.mu.Lock()
	defer p.mu.Unlock()
next:
	for _, m := range p.messages {
		for _, text := range p.allowed {
			if strings.Contains(m, text) {
				continue next
			}
		}
		p.t.Errorf("on the console: %s", m)
	}
}

func (p *tab) do(steps ...chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	if err := chromedp.Do(ctx, steps...); err != nil {
		p.t.Fatal(err)
	}
}

// open goes to an address, or to a file.
func (p *tab) open(where string) {
	p.t.Helper()
	if !strings.HasPrefix(where, "http") {
		where = (&url.URL{Scheme: "file", Path: where}).String()
	}
	p.do(chromedp.Navigate(where))
}

// eval gives the value of an expression in the page.
func eval[T any](p *tab, expression string) T {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	v, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression))
	if err != nil {
		p.t.Fatalf("%s: %v", expression, err)
	}
	return v
}

// wait waits until an expression is true, on this page or the one that follows.
func (p *tab) wait(expression string) {
	p.t.Helper()
	var last error
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		is, err := chromedp.Run(p.ctx, chromedp.Evaluate[bool]("Boolean("+expression+")"))
		if is && err == nil {
			return
		}
		last = err
	}
	p.t.Fatalf("waiting for %s: %v\nthe page says: %s", expression, last, eval[string](p, `document.body.innerText.slice(0, 2000)`))
}

// view sets the size of the window and the scheme of colours.
func (p *tab) view(width int64, scheme string) {
	p.t.Helper()
	_, err := chromedp.Call(p.ctx, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{
		Width: width, Height: 900, DeviceScaleFactor: 1, Mobile: width < 600,
	})
	if err == nil {
		_, err = chromedp.Call(p.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}},
		})
	}
	if err != nil {
		p.t.Fatal(err)
	}
}

// shoot saves a picture of the page into the folder $SCREENSHOTS, if it is set.
func (p *tab) shoot(name string, width int64) {
	p.t.Helper()
	dir := os.Getenv("SCREENSHOTS")
	if dir == "" {
		return
	}
	height := min(eval[float64](p, "document.documentElement.scrollHeight"), maxPicture)
	beyond := true
	picture, err := chromedp.Call(p.ctx, page.CaptureScreenshot, page.CaptureScreenshotParams{
		CaptureBeyondViewport: &beyond, Clip: &page.Viewport{Width: float64(width), Height: height, Scale: 1},
	})
	if err == nil {
		err = os.MkdirAll(dir, 0o755)
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, name+".png"), picture.Data, 0o644)
	}
	if err != nil {
		p.t.Fatal(fmt.Errorf("the picture of %s: %w", name, err))
	}
}

// maxPicture is the height of a picture in pixels.
const maxPicture = 6000
