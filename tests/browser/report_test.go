package browser

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// kinds are the runs that everybody looks at.
func kinds() map[string]map[string]string {
	return map[string]map[string]string{
		"converging": converging, "stuck": stuck, "halted": halted, "many": manySteps(200, 187), "hostile": hostile,
		"empty": {"r.yaml": "name: empty\nsteps: []\n"},
	}
}

// Every kind of run fits into both windows and both schemes, without a message
// on the console; the tab fails the test for one.
func TestPagesFitIntoDesktopAndPhoneInLightAndDark(t *testing.T) {
	t.Parallel()
	for name, files := range kinds() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newProject(t, files)
			file := ""
			if name == "empty" {
				file = p.nothing()
			} else {
				file = p.run("./r.yaml")
			}
			tab := newTab(t)
			for _, width := range []int64{1280, 390} {
				for _, scheme := range []string{"light", "dark"} {
					tab.view(width, scheme)
					tab.open(file)
					if wide := eval[int64](tab, "document.documentElement.scrollWidth"); wide > width {
						t.Errorf("%d %s: the page is %d wide", width, scheme, wide)
					}
					if n := eval[int](tab, contrastFaults); n > 0 {
						t.Errorf("%d %s: %d texts with less contrast than 4.5", width, scheme, n)
					}
					tab.shoot(name+"-"+map[int64]string{1280: "desktop", 390: "phone"}[width]+"-"+scheme, width)
				}
			}
		})
	}
}

// contrastFaults counts the texts whose contrast is too low (WCAG 2, 1.4.3).
const contrastFaults = `(function () {
  function channel(v) { v /= 255; return v <= 0.03928 ? v / 12.92 : Math.pow((v + 0.055) / 1.055, 2.4); }
  function luminance(c) { return 0.2126 * channel(c[0]) + 0.7152 * channel(c[1]) + 0.0722 * channel(c[2]); }
  function colour(text) { return text.match(/[\d.]+/g).map(Number); }
  function ground(el) {
    for (var at = el; at; at = at.parentElement) {
      var c = colour(getComputedStyle(at).backgroundColor);
      if (c.length < 4 || c[3] > 0) { return c; }
    }
    return [255, 255, 255];
  }
  var faults = 0;
  document.querySelectorAll("main *, nav *").forEach(function (el) {
    var own = Array.prototype.some.call(el.childNodes, function (n) { return n.nodeType === 3 && n.nodeValue.trim(); });
    if (!own || !el.getClientRects().length || el.namespaceURI.indexOf("svg") >= 0) { return; }
    var a = luminance(colour(getComputedStyle(el).color)), b = luminance(ground(el));
    if ((Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05) < 4.5) { faults++; }
  });
  return faults;
})()`

func TestAHostileOutputStaysText(t *testing.T) {
	t.Parallel()
	p := newProject(t, hostile)
	tab := newTab(t)
	tab.open(p.run("./r.yaml"))
	for name, want := range map[string]int{"img": 0, "iframe": 0, "main script": 0, "main style": 0, "body > script": 1, "[onerror], [onload]": 0} {
		if n := eval[int](tab, "document.querySelectorAll('"+name+"').length"); n != want {
			t.Errorf("%s: %d, want %d", name, n, want)
		}
	}
	if title := eval[string](tab, "document.title"); !strings.HasPrefix(title, "</script><img src=x onerror=alert(1)> ") {
		t.Errorf("the title is %q", title)
	}
	all := eval[string](tab, "document.body.textContent")
	for _, text := range []string{
		`</script><img src=x onerror="document.title=1"><svg onload=alert(3)>`, "</pre></details><style>*{display:none}</style>",
		"\uFFFD\u2400\u2401red end", "errors \uFFFD", "4.9 MB are left out here", "</pre><script>document.title='taken over'</script>",
	} {
		if !strings.Contains(all, text) {
			t.Errorf("the page lacks the text %q", text)
		}
	}
	// A text that turns the direction of reading does not turn what is around it.
	if isolated := eval[bool](tab, `Array.from(document.querySelectorAll("pre")).every(function (pre) { return /plaintext|isolate/.test(getComputedStyle(pre).unicodeBidi); })`); !isolated {
		t.Error("an output is not isolated")
	}
	info, err := os.Stat(p.report())
	if err != nil || info.Size() > 600_000 {
		t.Errorf("the page has %d bytes: %v", info.Size(), err)
	}
}

func TestTheAnswerStandsFirst(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]struct {
		files map[string]string
		texts []string // in this order
	}{
		"converging": {converging, []string{"Ended well", "The check proved that the goal is met", "Round 6 of 6 was the last that moved something", "Time and money", "converge/fix", "$0.0750", "What each judge saw and said", "DONE"}},
		"stuck":      {stuck, []string{"Halted: judged_stuck", "the same two findings came back", "What now", "Round 3 of 4 was the last that moved something: 1 finding resolved.", "Time and money", "What each judge saw and said", "STUCK"}},
		"halted":     {halted, []string{"Halted: done_but_check_red", "three tests fail: TestLogin TestLogout TestReset", "What now", "Time and money", "What each judge saw and said", "check is red"}},
		"many":       {manySteps(20, 18), []string{"Failed", "main.go:12: undefined: foo", "What now", "runs logs step-0018", "resume", "--from step-0018", "Time and money", "Graph", "Steps"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tab := newTab(t)
			tab.open(newProject(t, want.files).run("./r.yaml"))
			rest := eval[string](tab, "document.body.innerText")
			for _, text := range want.texts {
				at := strings.Index(rest, text)
				if at < 0 {
					t.Fatalf("%q is not there, or not behind what comes first, in\n%s", text, rest)
				}
				rest = rest[at:]
			}
		})
	}
}

// Without scripts everything is there to be read; what needs one is not shown.
func TestThePageIsReadWithoutScripts(t *testing.T) {
	t.Parallel()
	tab := newTab(t)
	tab.withoutScripts()
	tab.visit(newProject(t, stuck).run("./r.yaml"))
	text := ""
	for deadline := time.Now().Add(patience); !strings.Contains(text, "brickoven") && time.Now().Before(deadline); {
		text = tab.rendered()
	}
	for _, want := range []string{"Halted: judged_stuck", "Round 3 of 4", "the same two findings came back", "round 4"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing", want)
		}
	}
	if strings.Contains(text, "Search steps") || strings.Contains(text, "Copy") {
		t.Error("the page shows what does not work without scripts")
	}
}

// A page of 1,000 steps is small, and usable within a second. Where the machine
// has other things to do, it is compared with a bare page of as many elements,
// which the same browser shows in turn with it.
func TestAThousandStepsAreSmallAndQuick(t *testing.T) {
	files := manySteps(1000, 0)
	files["r.yaml"] = strings.Replace(files["r.yaml"], "steps:\n", "defaults: {shell: builtin}\nsteps:\n", 1)
	file := newProject(t, files).run("./r.yaml")
	info, err := os.Stat(file)
	if err != nil || info.Size() >= 3_000_000 {
		t.Fatalf("the page has %d bytes: %v", info.Size(), err)
	}
	bare := filepath.Join(t.TempDir(), "bare.html")
	text := "<!doctype html><meta charset=utf-8><link rel=icon href=data:,>" +
		strings.Repeat("<details><summary><svg width=9 height=9><rect/></svg> step <small>bash</small> 1 s</summary><pre>says hello</pre></details>\n", 1000)
	if err := os.WriteFile(bare, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	tab := newTab(t)
	tab.view(1280, "light")
	load := func(file string) time.Duration {
		tab.open(file)
		return time.Duration(eval[float64](tab, `performance.getEntriesByType("navigation")[0].domContentLoadedEventEnd`) * float64(time.Millisecond))
	}
	own, other := load(file), load(bare)
	for range 4 {
		own, other = min(own, load(file)), min(other, load(bare))
	}
	limit := max(time.Second, 10*other)
	t.Logf("1,000 steps: %d bytes, usable after %s; a bare page after %s", info.Size(), own, other)
	if own > limit {
		t.Errorf("the page is usable after %s, a bare one after %s", own, other)
	}
	tab.open(file)
	took := time.Duration(eval[float64](tab, `(function () { var t = performance.now(), q = document.getElementById("query");
  q.value = "step 777 says"; q.form.dispatchEvent(new Event("submit", {bubbles: true, cancelable: true}));
  return performance.now() - t; })()`) * float64(time.Millisecond))
	if found := eval[string](tab, `document.getElementById("found").textContent`); found != "1 found" {
		t.Errorf("the search says %q", found)
	}
	t.Logf("a search takes %s", took)
	if took > limit {
		t.Errorf("a search takes %s", took)
	}
}
