package main

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/brickoven/brickoven/recipes/contract"
	"github.com/brickoven/brickoven/runner/step"
	"golang.org/x/term"
)

// progress shows steps on standard error as they start and end. On a terminal
// it keeps a live line with the running steps under what was printed.
type progress struct {
	mu      sync.Mutex
	out     io.Writer
	steps   bool // show steps, not warnings alone
	live    bool // standard error is a terminal that can rewrite its last line
	colour  bool
	running []string
	since   map[string]time.Time
	warned  map[string]bool // by the step, whichever round or item, and the text
	more    int             // warnings that only repeat one
	shown   bool            // the live line is on the screen
	quit    chan struct{}
	once    sync.Once
	ended   sync.WaitGroup
}

func (a *app) newProgress(o *runOptions) *progress {
	terminal := isTerminal(a.err)
	p := &progress{
		out: a.err, steps: o.progress || o.ci || terminal, live: terminal && a.getenv("TERM") != "dumb",
		colour: terminal && a.getenv("NO_COLOR") == "", since: map[string]time.Time{}, warned: map[string]bool{}, quit: make(chan struct{}),
	}
	if p.live {
		p.ended.Go(p.refresh)
	}
	return p
}

func isTerminal(w io.Writer) bool {
	file, ok := w.(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}

// refresh redraws the live line twice a second.
func (p *progress) refresh() {
	tick := time.NewTicker(500 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-p.quit:
			return
		case <-tick.C:
			p.mu.Lock()
			p.erase()
			p.draw()
			p.mu.Unlock()
		}
	}
}

// done takes the live line away; what is printed afterwards stays. It may be
// called again.
func (p *progress) done() {
	p.once.Do(func() { close(p.quit) })
	p.ended.Wait()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.erase()
	p.live = false
	if p.more > 0 {
		p.print(fmt.Sprintf("Warning: %d more of the same, of other rounds or items\n", p.more))
		p.more = 0
	}
}

func (p *progress) note(n step.Note) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch n.Kind {
	case step.Warning:
		p.warn(n)
	case step.Waiting:
		p.print(fmt.Sprintf("%s  ⧗ %s waits %s until %s: %s\n", indent(n.Path), n.Path,
			n.Due.Sub(n.At).Round(time.Second), n.Due.Local().Format(time.DateTime), n.Text))
	case step.LoopRound:
		if p.steps {
			p.print(indent(n.Path) + "  round " + n.Text + " of " + n.Path + "\n")
		}
	case step.Verdict:
		if p.steps {
			p.print(indent(n.Path) + "  " + n.Name + ": " + n.Text + "\n")
		}
	case step.StepStarted:
		p.running = append(p.running, n.Path)
		p.since[n.Path] = n.At
		if p.steps {
			p.print(indent(n.Path) + "▶ " + n.Path + "\n")
		}
	case step.StepFinished:
		p.running = slices.DeleteFunc(p.running, func(path string) bool { return path == n.Path })
		delete(p.since, n.Path)
		if p.steps {
			p.print(indent(n.Path) + "  " + p.finished(n.Outcome) + "\n")
		}
	}
}

// warn says a warning once for all rounds of a loop and all items of a list: a
// loop that runs over night would say it a hundred times.
func (p *progress) warn(n step.Note) {
	said := contract.WithoutIndexes(n.Path) + "\n" + n.Text
	if p.warned[said] {
		p.more++
		return
	}
	p.warned[said] = true
	p.print(fmt.Sprintf("Warning: %s%s\n", at(n.Path), n.Text))
}

func at(path string) string {
	if path == "" {
		return ""
	}
	return "step " + path + ": "
}

// indent shows how deep a step lies in called recipes.
func indent(path string) string { return strings.Repeat("  ", strings.Count(path, "/")) }

func (p *progress) finished(o *step.Outcome) string {
	mark, colour := "✓", "32"
	switch o.Status {
	case step.Skipped:
		mark, colour = "⊘", "2"
	case step.Failed:
		mark, colour = "✗", "31"
	case step.Degraded:
		mark, colour = "⚠", "33"
	}
	if p.colour {
		mark = "\x1b[" + colour + "m" + mark + "\x1b[0m"
	}
	line := fmt.Sprintf("%s %s (%.1fs)", mark, o.Path, o.Duration.Seconds())
	if o.Tolerated {
		line += " - tolerated"
	}
	return line
}

// print puts text above the live line.
func (p *progress) print(text string) {
	p.erase()
	fmt.Fprint(p.out, text)
	p.draw()
}

func (p *progress) erase() {
	if p.shown {
		fmt.Fprint(p.out, "\r\x1b[K")
		p.shown = false
	}
}

// maxLive is the width of the live line; a wrapped line could not be erased.
const maxLive = 78

func (p *progress) draw() {
	if !p.live || len(p.running) == 0 {
		return
	}
	last := p.running[len(p.running)-1]
	line := fmt.Sprintf("… %s (%s)", last, time.Since(p.since[last]).Truncate(time.Second))
	if more := len(p.running) - 1; more > 0 {
		line += fmt.Sprintf(" and %d more", more)
	}
	if runes := []rune(line); len(runes) > maxLive {
		line = string(runes[:maxLive])
	}
	fmt.Fprint(p.out, line)
	p.shown = true
}
