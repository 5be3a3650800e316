package main

import (
	"fmt"
	"strings"
	"time"

	sessions "github.com/brickoven/brickoven/bricks/session"
	"github.com/brickoven/brickoven/bricks/session/folder"
	"github.com/brickoven/brickoven/recipes/value"
	"github.com/brickoven/brickoven/runner/exit"
	"github.com/spf13/cobra"
)

func (o *sessionOptions) showCommand() *cobra.Command {
	return &cobra.Command{
		Use: "show [SESSION]", Short: "Show a session: what it is for, how it stands, what it did", Args: o.optionalSession,
		RunE: func(*cobra.Command, []string) error {
			_, view, err := o.find(false)
			if err != nil {
				return err
			}
			if o.format == "json" {
				o.app.printJSON(sessionDocument(view))
				return nil
			}
			return o.app.print(sessionText(view))
		},
	}
}

func sessionDocument(v folder.View) map[string]any {
	doc := sessionRow(v)
	doc["goal"] = v.Goal
	doc["session"] = value.From(v.Meta)
	doc["state"] = nil
	if v.State != nil {
		doc["state"] = value.From(v.State)
	}
	doc["control"] = value.From(v.Control)
	requests := make([]any, len(v.Requests))
	for i, r := range v.Requests {
		requests[i] = value.From(r)
	}
	doc["requests"] = requests
	return doc
}

func sessionText(v folder.View) string {
	var b strings.Builder
	line := func(name, text string) {
		if text != "" {
			fmt.Fprintf(&b, "%-9s %s\n", name, text)
		}
	}
	line("session", v.ID)
	line("folder", v.Dir)
	line("goal", firstLine(v.Goal))
	line("recipe", v.Meta.Recipe)
	line("standing", sessionStanding(v))
	if v.Held {
		line("held by", v.Holder)
	}
	line("control", controlText(v.Control))
	if v.State != nil {
		stateText(line, v.State)
	}
	for _, r := range v.Requests {
		line("request", fmt.Sprintf("%d %s: %s", r.Number, r.Kind, firstLine(r.Text)))
	}
	return b.String()
}

func controlText(r sessions.Reading) string {
	switch {
	case r.Invalid:
		return "invalid: " + r.Problem
	case r.Running():
		return "running"
	}
	return fmt.Sprintf("%s: %s", r.StopReason, r.Reason)
}

func stateText(line func(name, text string), s *sessions.State) {
	if stop := s.Stop; stop != nil {
		line("stopped", fmt.Sprintf("%s (%s) by the %s: %s", stop.StopReason, stop.HaltReason, stop.Author, stop.Reason))
		for _, d := range stop.Difference {
			line("", fmt.Sprintf("%s %s", d.Change, d.Path))
		}
	}
	cost := string(s.Usage.CostUSD) + " USD"
	if n := s.Usage.IterationsWithoutCost; n > 0 {
		cost += fmt.Sprintf(", and %d rounds of unknown cost", n)
	}
	line("cost", cost)
	for _, p := range s.History {
		line("round", pastText(p))
	}
	if task := s.CurrentTask; task != nil {
		line("round", fmt.Sprintf("%d %s: runs since %s", task.Iteration, task.Workflow, task.StartedAt.Format(time.RFC3339)))
	}
}

func pastText(p sessions.Past) string {
	text := fmt.Sprintf("%d %s: ran to its end", p.Iteration, p.Workflow)
	if !p.Success {
		text = fmt.Sprintf("%d %s: %s failure: %s", p.Iteration, p.Workflow, p.FailureKind, firstLine(p.Error))
	}
	if p.GoalCheck != sessions.EvidenceAbsent {
		text += ", goal check " + strings.ReplaceAll(string(p.GoalCheck), "_", " ")
	}
	return text
}

func (o *sessionOptions) explainCommand() *cobra.Command {
	return &cobra.Command{
		Use: "explain [SESSION]", Short: "Say which workflow would run next, and why", Args: o.optionalSession,
		Long: "Say for each workflow of a session whether it is eligible for the next round,\nand why, and which one would be chosen.\n" + exitStatus(),
		RunE: func(*cobra.Command, []string) error {
			_, view, err := o.find(false)
			if err != nil {
				return err
			}
			if view.State == nil {
				return &failure{exit.Failed, fmt.Errorf("session %s has not begun a round yet", view.ID)}
			}
			explanation := view.State.Explain()
			if o.format == "json" {
				o.app.printJSON(value.From(explanation))
				return nil
			}
			return o.app.print(explanationText(explanation, view.State.Stop))
		},
	}
}

func explanationText(e sessions.Explanation, stop *sessions.Stop) string {
	var b strings.Builder
	if stop != nil {
		fmt.Fprintf(&b, "the session has stopped: %s; if it went on:\n", stop.StopReason)
	}
	chosen := e.Chosen
	if chosen == "" {
		chosen = "none"
	}
	fmt.Fprintf(&b, "round %d: %s (%s)\n", e.Iteration, chosen, e.Reason)
	for _, w := range e.Workflows {
		standing := "not eligible"
		if w.Eligible {
			standing = "eligible"
		}
		last := "has not run"
		if w.LastRun > 0 {
			last = fmt.Sprintf("last run in round %d", w.LastRun)
		}
		fmt.Fprintf(&b, "%s: %s, priority %d, %s\n", w.Workflow, standing, w.Priority, last)
		for _, r := range w.Rules {
			mark := "no "
			if r.Met {
				mark = "yes"
			}
			fmt.Fprintf(&b, "  %s  %s: %s\n", mark, r.Name, r.Text)
		}
	}
	return b.String()
}
