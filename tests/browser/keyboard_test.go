package browser

import (
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// controls are the roles of what a reader can act on.
var controls = []string{"button", "link", "textbox", "searchbox", "combobox", "DisclosureTriangle", "checkbox"}

func TestEveryControlHasAName(t *testing.T) {
	t.Parallel()
	for name, files := range map[string]map[string]string{"converging": converging, "many": manySteps(30, 28)} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newProject(t, files)
			tab := newTab(t)
			tab.open(p.run("./r.yaml"))
			seen := tab.names(t)
			address, _ := p.serve()
			tab.open(address)
			seen += tab.names(t)
			if seen < 20 {
				t.Errorf("only %d controls were found", seen)
			}
		})
	}
}

// names fails the test for every control without a name, and counts controls.
func (p *tab) names(t *testing.T) (controlsSeen int) {
	t.Helper()
	if _, err := chromedp.Call(p.ctx, accessibility.Enable, cdp.Empty{}); err != nil {
		t.Fatal(err)
	}
	tree, err := chromedp.Call(p.ctx, accessibility.GetFullAXTree, accessibility.GetFullAXTreeParams{})
	if err != nil {
		t.Fatal(err)
	}
	for _, node := range tree.Nodes {
		if node.Ignored || node.Role == nil || !slices.Contains(controls, textOf(node.Role)) {
			continue
		}
		controlsSeen++
		if node.Name == nil || strings.TrimSpace(textOf(node.Name)) == "" {
			t.Errorf("a %s has no name", textOf(node.Role))
		}
	}
	return controlsSeen
}

func textOf(v *accessibility.Value) string {
	return strings.Trim(string(v.Value), `"`)
}

// press sends keys to what has the focus.
func (p *tab) press(keys string, times int) {
	p.t.Helper()
	for range times {
		p.do(chromedp.KeyEvent(keys))
	}
}

// strike presses one key as a keyboard does: what a key press types belongs to
// the same event, so that the page may keep it from being typed, and so that it
// does not go to what the key has given the focus to.
func (p *tab) strike(key, text string, code int64) {
	p.t.Helper()
	for _, kind := range []input.DispatchKeyEventType{input.DispatchKeyEventTypeKeyDown, input.DispatchKeyEventTypeKeyUp} {
		params := input.DispatchKeyEventParams{Type: kind, Key: key, WindowsVirtualKeyCode: code}
		if kind == input.DispatchKeyEventTypeKeyDown {
			params.Text = text
		}
		if _, err := chromedp.Call(p.ctx, input.DispatchKeyEvent, params); err != nil {
			p.t.Fatal(err)
		}
	}
}

func (p *tab) enter() { p.strike("Enter", "\r", 13) }

const focused = `document.activeElement`

func TestTheKeyboardReachesAndWorksEveryControl(t *testing.T) {
	t.Parallel()
	tab := newTab(t)
	tab.open(newProject(t, manySteps(12, 11)).run("./r.yaml"))

	// The first stop leads past the navigation.
	tab.press(kb.Tab, 1)
	if name := eval[string](tab, focused+".textContent"); name != "Skip to the content" {
		t.Errorf("the first stop is %q", name)
	}
	tab.enter()
	tab.wait(focused + `.id === "main"`)

	// Every control is a stop, in the order of the page.
	want := eval[[]string](tab, stops)
	tab.open(eval[string](tab, "location.pathname"))
	var got []string
	for range want {
		tab.press(kb.Tab, 1)
		got = append(got, eval[string](tab, focused+`.tagName + " " + (`+focused+`.id || `+focused+`.textContent.slice(0, 20))`))
	}
	if !slices.Equal(got, want) {
		t.Errorf("the stops are\n%q, want\n%q", got, want)
	}

	// A step opens and closes; a link to it opens what is around it.
	tab.do(chromedp.Focus(chromedp.CSS(".steps summary")))
	for _, open := range []bool{true, false} {
		tab.enter()
		if is := eval[bool](tab, `document.querySelector(".steps details").open`); is != open {
			t.Errorf("after Enter the step is open: %v", is)
		}
	}
	tab.do(chromedp.Focus(chromedp.CSS("#end p a")))
	tab.enter()
	tab.wait(`document.querySelector("[data-s=failed] details").open`)

	// The slash leads to the search, which narrows; Escape shows all again.
	tab.strike("/", "/", 191)
	if id := eval[string](tab, focused+".id"); id != "query" {
		t.Errorf("the slash leads to %q", id)
	}
	if value := eval[string](tab, focused+".value"); value != "" {
		t.Errorf("the slash was typed as well: %q", value)
	}
	tab.press("undefined: foo", 1)
	tab.wait(`document.getElementById("found").textContent === "1 found"`)
	if n := eval[int](tab, `Array.from(document.querySelectorAll(".steps li")).filter(function (li) { return li.getClientRects().length; }).length`); n != 1 {
		t.Errorf("%d steps are shown, want 1", n)
	}
	tab.press(kb.Escape, 1)
	tab.wait(`document.getElementById("found").textContent === "" && !document.querySelector(".gone")`)
	tab.do(chromedp.Focus(chromedp.CSS("#only")))
	tab.press("fail", 1)
	tab.wait(`document.getElementById("found").textContent === "1 found"`)
	tab.press(kb.Home, 1)
	tab.wait(`document.getElementById("found").textContent === ""`)
	tab.do(chromedp.Focus(chromedp.CSS("#unfold")))
	tab.enter()
	tab.wait(`!document.querySelector(".steps details:not([open])")`)
	tab.press(kb.Tab, 1)
	tab.press(" ", 1)
	tab.wait(`!document.querySelector(".steps details[open]")`)
}

// stops lists what Tab should stop at, from the top.
const stops = `Array.from(document.querySelectorAll("a[href], button, input, select, summary, [tabindex='0']")).filter(function (el) {
  return el.checkVisibility({contentVisibilityAuto: true}) && el.getClientRects().length;
}).map(function (el) { return el.tagName + " " + (el.id || el.textContent.slice(0, 20)); })`
