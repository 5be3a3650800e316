package browser

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/chromedp/chromedp"
)

// waiting is a recipe whose steps wait for a file each.
var waiting = map[string]string{"r.yaml": `name: waiting
steps:
  - {id: first, command: "echo first says hello; while ! test -e go1; do sleep 0.02; done"}
  - {id: second, command: "echo second says hello; while ! test -e go2; do sleep 0.02; done; echo bye"}
`}

func (p *project) touch(name string) {
	p.t.Helper()
	if err := os.WriteFile(filepath.Join(p.dir, name), nil, 0o644); err != nil {
		p.t.Fatal(err)
	}
}

// start starts a run and opens its page. wait waits for its end.
func (p *project) start(tab *tab, address string) (kill, wait func()) {
	p.t.Helper()
	cmd := p.command("run", "./r.yaml")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	kill = func() { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	ended := false
	wait = func() {
		if !ended {
			ended = true
			_ = cmd.Wait()
		}
	}
	p.t.Cleanup(func() { kill(); wait() })
	tab.open(address)
	tab.wait(`document.querySelector("#runs tbody a")`)
	tab.do(chromedp.Click(chromedp.CSS("#runs tbody a")))
	return kill, wait
}

func TestTheLiveViewFollowsARunFromItsStartToItsEnd(t *testing.T) {
	t.Parallel()
	p := newProject(t, waiting)
	address, _ := p.serve()
	tab := newTab(t)
	tab.open(address)
	tab.wait(`document.body.innerText.includes("There are no runs here yet")`)
	_, wait := p.start(tab, address)
	tab.wait(`document.getElementById("title") && document.getElementById("title").textContent === "Running"`)
	tab.wait(`document.body.textContent.includes("first says hello")`)

	// What the reader has opened, written and focused stays.
	tab.do(chromedp.Focus(chromedp.CSS(".steps summary")))
	tab.enter()
	eval[bool](tab, `(window.kept = document.querySelector(".steps details")).open`)
	p.touch("go1")
	tab.wait(`document.querySelectorAll(".steps > li").length === 2 && document.querySelector(".steps > li").dataset.s === "completed"`)
	if same := eval[bool](tab, `document.querySelector(".steps details") === window.kept && window.kept.open && document.activeElement === window.kept.querySelector("summary")`); !same {
		t.Error("the step that was open and had the focus is another one, or closed")
	}
	p.touch("go2")
	wait()
	tab.wait(`document.getElementById("title").textContent === "Ended well"`)
	tab.wait(`document.getElementById("news").textContent === "Ended well"`)
	if title := eval[string](tab, "document.title"); !strings.HasSuffix(title, ": Ended well") {
		t.Errorf("the title is %q", title)
	}
	if found := eval[bool](tab, `document.body.textContent.includes("second says hello\nbye")`); !found {
		t.Error("the output of the last step is missing")
	}
}

func TestTheLiveViewSurvivesTheKillOfItsRun(t *testing.T) {
	t.Parallel()
	p := newProject(t, waiting)
	address, _ := p.serve()
	tab := newTab(t)
	kill, wait := p.start(tab, address)
	tab.wait(`document.querySelector(".steps [data-s=running]")`)
	kill()
	wait()
	tab.wait(`document.getElementById("title").textContent === "Interrupted"`)
	tab.wait(`document.querySelector(".steps [data-s=interrupted]") && document.body.innerText.includes("brickoven resume ")`)
	p.touch("go1")
	p.touch("go2")
	if out, err := p.command("resume").CombinedOutput(); err != nil {
		t.Fatalf("resume: %v\n%s", err, out)
	}
	tab.wait(`document.getElementById("title").textContent === "Ended well"`)
}

func TestTheLiveViewSaysThatItsServerIsGone(t *testing.T) {
	t.Parallel()
	p := newProject(t, waiting)
	p.touch("go1")
	p.touch("go2")
	p.run("./r.yaml")
	address, end := p.serve()
	tab := newTab(t)
	tab.allow("ERR_CONNECTION_REFUSED")
	tab.open(address)
	tab.do(chromedp.Click(chromedp.CSS("#runs tbody a")))
	tab.wait(`document.getElementById("title") && document.getElementById("title").textContent === "Ended well"`)
	end()
	tab.wait(`document.querySelector("[role=alert]")`)
	if title := eval[string](tab, `document.getElementById("title").textContent`); title != "Ended well" {
		t.Errorf("the page went away with the server: %q", title)
	}
}
