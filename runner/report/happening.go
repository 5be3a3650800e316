package report

import (
	"time"

	"github.com/brickoven/brickoven/runner/journal"
)

// longWait is how long a wait is that somebody would wonder about.
const longWait = time.Minute

// happening takes the records about what came from outside.
func (c *Collector) happening(rec journal.Record) error {
	switch rec.Kind {
	case journal.KindResumed:
		var r journal.Resumed
		if err := rec.Decode(&r); err != nil {
			return err
		}
		c.end, c.attempt = nil, max(r.Attempt, c.attempt+1)
		text := "another process went on with the run"
		switch {
		case r.From != "":
			text = "the run went on from step " + r.From
		case r.Only != "":
			text = "step " + r.Only + " ran again"
		}
		c.happened(rec.At, "resumed", "", text)
	case journal.KindGuardRefused:
		var g journal.GuardRefused
		if err := rec.Decode(&g); err != nil {
			return err
		}
		c.happened(rec.At, "refused", g.Path, g.Text)
	case journal.KindStalled:
		var s journal.Stalled
		if err := rec.Decode(&s); err != nil {
			return err
		}
		text := "no sign of progress for " + s.Silent.Round(time.Second).String()
		if s.Killed {
			text += "; the watchdog ended it"
		}
		c.happened(rec.At, "stalled", s.Path, text)
	case journal.KindWait:
		var w journal.Wait
		if err := rec.Decode(&w); err != nil {
			return err
		}
		// A pause before another attempt is nothing to tell; a long wait is.
		if w.Due.Sub(rec.At) >= longWait {
			c.happened(rec.At, "waiting", "", w.Reason)
		}
	}
	return nil
}

func (c *Collector) happened(at time.Time, kind, path, text string) {
	if shown, ok := c.shown(text).(string); ok {
		text = shown
	}
	c.events = append(c.events, Event{At: at, Kind: kind, Path: path, Text: clean(text)})
}

// shown is a value as people may see it.
func (c *Collector) shown(v any) any {
	if c.show == nil {
		return v
	}
	if shown, err := c.show(v); err == nil {
		return shown
	}
	return v
}
