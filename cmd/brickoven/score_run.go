package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/brickoven/brickoven/bricks/doomloop"
	"github.com/brickoven/brickoven/bricks/score"
	"github.com/brickoven/brickoven/bricks/session/folder"
	"github.com/brickoven/brickoven/recipes/value"
	"github.com/brickoven/brickoven/runner/journal"
	"github.com/brickoven/brickoven/runner/local"
)

// scoreRuns reads the loops of runs and sessions for the score. It is the
// [score.RunReader] over their journals.
type scoreRuns struct {
	app      *app
	workDir  string
	stateDir string
	// loop is the path of the loop that is meant; empty where there is only one.
	loop string
}

func (r *scoreRuns) flags(flags *pflag.FlagSet) {
	flags.StringVarP(&r.workDir, "working-dir", "C", ".", "the folder whose runs are looked at")
	flags.StringVar(&r.stateDir, "state-dir", "", "the state folder")
	flags.StringVar(&r.loop, "loop", "", "the loop of the run, by its path, where there are several")
}

// ReadRun finds a run or a session by a beginning of its id. An empty reference
// is the newest run.
func (r *scoreRuns) ReadRun(_ context.Context, reference string) (score.Run, error) {
	places, err := r.app.locations(r.stateDir, r.workDir)
	if err != nil {
		return score.Run{}, err
	}
	only := r.loop
	dir, err := r.app.findRun(places.Runs(), reference)
	if err != nil {
		view, found, lookErr := findSession(folder.Store{Dir: places.Sessions()}, reference)
		switch {
		case lookErr != nil:
			return score.Run{}, lookErr
		case !found:
			return score.Run{}, fmt.Errorf("%w (%w)", score.ErrRunNotFound, err)
		}
		if dir, err = r.app.findRun(places.Runs(), view.Meta.RunID); err != nil {
			return score.Run{}, fmt.Errorf("the run of the session: %w", err)
		}
		if only == "" {
			only = view.Meta.Step
		}
	}
	return readScores(dir, only)
}

// findSession finds the session whose id begins with a text.
func findSession(store folder.Store, beginning string) (view folder.View, found bool, err error) {
	ids, err := store.IDs()
	if err != nil || beginning == "" {
		return folder.View{}, false, err
	}
	var matching []string
	for _, id := range ids {
		if strings.HasPrefix(id, beginning) {
			matching = append(matching, id)
		}
	}
	switch len(matching) {
	case 0:
		return folder.View{}, false, nil
	case 1:
		view, err = store.Look(matching[0])
		return view, err == nil, err
	}
	return folder.View{}, false, fmt.Errorf("%s is the beginning of %d sessions: %s", beginning, len(matching), strings.Join(matching, ", "))
}

// readScores reads the journal in dir. only is the path of a loop, or empty.
func readScores(dir, only string) (run score.Run, err error) {
	// The lock is looked at first, because its owner may write the end and let go
	// in this moment.
	_, held, err := journal.Holder(dir)
	if err != nil {
		return run, err
	}
	h, torn, err := collectScores(dir)
	if err != nil {
		return run, err
	}
	run, err = h.run(only)
	run.ID = filepath.Base(dir)
	switch {
	case err != nil:
		return run, err
	case held:
		run.Notices = append(run.Notices, "the run is still going on, so that this is no more than its score so far")
	case !h.ended:
		run.Notices = append(run.Notices, "the run died before its end")
	}
	if torn != nil && !held {
		run.Notices = append(run.Notices, torn.String())
	}
	return run, nil
}

func collectScores(dir string) (h *scoreHistory, torn *journal.Torn, err error) {
	// Only read, and not closed, so that a run under way keeps its files.
	store, err := local.OpenStore(dir, false)
	if err != nil {
		return nil, nil, err
	}
	h = &scoreHistory{
		whole: store.Whole, stdout: store.Open, actions: map[string]journal.ActionStarted{}, waited: map[string]time.Duration{},
	}
	reader, err := journal.Read(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return h, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	defer func() { err = errors.Join(err, reader.Close()) }()
	first := true
	for rec, err := range reader.Records() {
		if err != nil {
			return nil, nil, err
		}
		if first {
			h.show, first = showSealed(rec), false
		}
		if err := h.add(rec); err != nil {
			return nil, nil, err
		}
	}
	return h, reader.Torn(), nil
}

// run is what the history tells of one loop, or of the whole run where there is
// none with scores.
func (h *scoreHistory) run(only string) (score.Run, error) {
	source, err := h.choose(only)
	if err != nil {
		return score.Run{}, err
	}
	var run score.Run
	scope := only
	if source != nil {
		if run.Record, err = score.Parse(value.JSON(source.value)); err != nil {
			return run, fmt.Errorf("the scores that %s gave: %w", source.path, err)
		}
		scope = source.loop
		if run.Record.Loop.Name == "" {
			run.Record.Loop.Name = source.name()
		}
		if l := h.loop(source.loop); l != nil {
			l.complete(&run.Record.Loop)
		}
	} else {
		run.Record.Loop.Name = only
		run.Notices = append(run.Notices, h.nothing(only))
	}
	for _, s := range h.steps {
		if within(s.path, scope) {
			run.Steps = append(run.Steps, s.event)
		}
	}
	for _, c := range h.calls {
		if within(c.path, scope) {
			run.Calls = append(run.Calls, c.events)
		}
	}
	for _, g := range h.guards {
		if within(g.path, scope) {
			run.Record.GuardEvents = append(run.Record.GuardEvents, g.event)
		}
	}
	return run, nil
}

// choose finds the scores that are meant; nil where there are none.
func (h *scoreHistory) choose(only string) (*scoreSource, error) {
	all := slices.Concat(h.scores, h.ledgers())
	named := func(s *scoreSource) bool { return s.name() == only }
	if only != "" && h.loop(only) == nil && !slices.ContainsFunc(all, named) {
		return nil, fmt.Errorf("the run has no loop %s%s", only, h.names("; it has "))
	}
	var found []*scoreSource
	var names []string
	for _, s := range all {
		if only == "" || named(s) || within(s.path, only) && s.loop == only {
			found = append(found, s)
			names = append(names, s.name())
		}
	}
	switch len(found) {
	case 0:
		return nil, nil
	case 1:
		return found[0], nil
	}
	return nil, fmt.Errorf("the run has scores of %d loops; name one with --loop: %s", len(found), strings.Join(names, ", "))
}

// name is how a person names the scores: by the loop they are of, or by the step
// that gave them.
func (s *scoreSource) name() string {
	if s.loop != "" {
		return s.loop
	}
	return s.label
}

// within tells whether a path lies in a loop; everything lies in none.
func within(path, loop string) bool {
	return loop == "" || path == loop || doomloop.RoundOf(path, loop) > 0
}

// names lists the loops of the run behind a text; empty without any.
func (h *scoreHistory) names(before string) string {
	var names []string
	for _, l := range h.loops {
		names = append(names, l.path)
	}
	if len(names) == 0 {
		return ""
	}
	return before + strings.Join(names, ", ")
}

// nothing says why there are no scores.
func (h *scoreHistory) nothing(only string) string {
	what := "the run has no loop, and no step printed a score_history"
	if len(h.loops) > 0 {
		what = "no round recorded a score" + h.names(" (loops: ") + ")"
	}
	if only != "" {
		what = "no round of " + only + " recorded a score"
	}
	return what + ": its judge says CONTINUE, DONE or STUCK, which is no number; evaluation-loop records scores, and so does a loop with a contract that is measured"
}

// complete adds what the journal knows of each round and the record does not.
func (l *scoredLoop) complete(loop *score.Loop) {
	if loop.TotalDuration == "" && l.took != nil {
		loop.TotalDuration = secondsOf(*l.took)
	}
	if l.last != len(loop.Scores) {
		return
	}
	if loop.Rounds == nil {
		loop.Rounds = make([]score.Round, len(loop.Scores))
	}
	for i := range loop.Rounds {
		l.round(i + 1).complete(&loop.Rounds[i])
	}
}

func (r *scoredRound) complete(round *score.Round) {
	if round.Duration == "" && r.duration > 0 {
		round.Duration = secondsOf(r.duration)
	}
	if round.Accepted == nil {
		round.Accepted = r.accepted
	}
	u := r.usage
	if u == nil {
		return
	}
	if round.Tokens == "" && u.UnknownTokens == 0 && u.InputTokens != nil {
		round.Tokens = value.Number(strconv.FormatInt(*u.InputTokens, 10))
	}
	if round.CostUSD == "" && u.UnknownCost == 0 && u.CostUSD != nil {
		round.CostUSD = value.Number(strconv.FormatFloat(*u.CostUSD, 'f', -1, 64))
	}
}

func secondsOf(d time.Duration) value.Number {
	return value.Number(strconv.FormatFloat(d.Seconds(), 'f', -1, 64))
}

var _ score.RunReader = (*scoreRuns)(nil)
