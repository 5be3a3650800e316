package page

import (
	"time"

	"github.com/brickoven/brickoven/runner/journal"
	"github.com/brickoven/brickoven/runner/report"
)

// index is the page that lists runs.
type index struct {
	Folder string
	Live   bool
	Runs   []listed
}

type listed struct {
	ID, Recipe string
	Standing   string
	Started    string
	ISO        string
	Duration   string
	ExitCode   int
	Ended      bool
}

func newIndex(runs []journal.Summary, folder string, o Options) index {
	x := index{Folder: folder, Live: o.Live}
	for _, s := range runs {
		row := listed{
			ID: s.RunID, Recipe: s.Recipe, Standing: string(s.Status), Started: s.Started.In(zone(o)).Format(time.DateTime),
			ISO: s.Started.UTC().Format(time.RFC3339), Duration: duration(s.Last.Sub(s.Started)),
		}
		if s.End != nil {
			row.Standing, row.ExitCode, row.Ended = s.End.Status, s.End.ExitCode, true
		} else if s.Status == journal.StatusRunning {
			row.Standing = string(report.Underway)
		}
		x.Runs = append(x.Runs, row)
	}
	return x
}
