package main

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/brickoven/brickoven/bricks/evidence"
	sessions "github.com/brickoven/brickoven/bricks/session"
	"github.com/brickoven/brickoven/bricks/session/folder"
	"github.com/brickoven/brickoven/recipes/value"
	"github.com/brickoven/brickoven/runner"
	"github.com/brickoven/brickoven/runner/local"
	"github.com/brickoven/brickoven/runner/mask"
	"github.com/brickoven/brickoven/runner/state"
	"github.com/brickoven/brickoven/runner/step"
)

// loopSessions keeps the sessions of the loops of one run, and holds the trees
// that they work in.
type loopSessions struct {
	store   folder.Store
	trees   string // the folder of the locks of working trees
	workDir string
	runID   string
	runDir  string
	// git runs git in a folder, as [local.Machine.FeedGit] does.
	git    func(ctx context.Context, dir string, env []string, stdin io.Reader, args ...string) (string, error)
	around string // the session whose round started this program; empty without one
	masker *mask.Masker
	// goOn tells that loops that had ended are to go on, where no file says any
	// more that they are over.
	goOn bool
	// handed are the work trees that a person accepted since, by the loop's path.
	handed map[string][]runner.Tree
	// raised are the limits of the brakes that a person raised.
	raised map[string]any
	// resumed tells that another process had the run before.
	resumed bool

	mu   sync.Mutex
	open map[string]*loopSession
}

// loopSession is a session that this process holds.
type loopSession struct {
	*folder.Session
	tree *folder.Hold
	// now ends when a person wants the loop to stop at once; cause says why.
	now    context.Context
	cancel context.CancelCauseFunc
	// stopped tells that the session was found stopped when it was opened again.
	stopped bool
	watcher sync.WaitGroup
}

// requestEvery is how often a stop --now is looked for.
const requestEvery = 200 * time.Millisecond

var (
	errStopNow = errors.New("the session was told to stop at once")
	errStopped = errors.New("the session's control file says that the loop is over")
)

func (a *app) loopSessions(set *settings, runID string, store *local.Store) *loopSessions {
	places := state.Locations{Dir: filepath.Dir(filepath.Dir(store.Dir))}
	l := &loopSessions{
		store: folder.Store{Dir: places.Sessions()}, trees: places.Trees(), workDir: set.WorkDir,
		runID: runID, runDir: store.Dir, masker: set.masker, goOn: set.goOn, handed: set.handed, raised: set.raised, resumed: set.resumed, open: map[string]*loopSession{},
	}
	if dir := a.getenv("BRICKOVEN_SESSION_DIR"); dir != "" {
		l.around = filepath.Base(dir)
	}
	return l
}

// Do carries out a session action.
func (l *loopSessions) Do(ctx context.Context, a *step.Action) step.Result {
	v, err := l.do(ctx, a)
	var held *folder.Held
	switch {
	case errors.As(err, &held):
		return step.Result{Cause: step.CauseHeld, ExitCode: -1, Error: err.Error()}
	case err != nil:
		return step.Result{Cause: step.CauseState, ExitCode: -1, Error: err.Error()}
	}
	return step.Result{OK: true, Value: v}
}

func (l *loopSessions) do(ctx context.Context, a *step.Action) (any, error) {
	call := a.Session
	if call.Op == step.SessionOpen {
		return l.create(ctx, call.Load.(runner.SessionOpening))
	}
	held := l.holds(call.ID)
	s, err := l.get(ctx, call.ID)
	if err != nil {
		return nil, err
	}
	switch call.Op {
	case step.SessionBegin:
		s.stopped = false // the stop that was found did not end the loop
	case step.SessionObserve:
		return s.observe(ctx, call.Iteration, call.Load.(int))
	case step.SessionClose:
		v, err := l.finish(ctx, s, call, !held)
		return l.withHanded(a.Path, v), err
	}
	return nil, s.Write(ctx, l.record(call))
}

// observe reads what a session's folder holds, as a value.
func (s *loopSession) observe(ctx context.Context, iteration string, known int) (any, error) {
	seen, err := s.Observe(ctx, iteration, known)
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(seen)
	if err != nil {
		return nil, err
	}
	return value.Parse(string(text))
}

// finish lets go of a session. One that another process had ended is looked at
// once more where a person has the loop go on.
func (l *loopSessions) finish(ctx context.Context, s *loopSession, call *step.SessionCall, ended bool) (any, error) {
	stands := call.Load.(sessions.State)
	status := map[string]any{step.SessionStatus: string(stands.Status)}
	if !l.goOn || !ended || stands.Status == sessions.StatusGoalMet {
		return status, l.close(call.ID)
	}
	seen, err := s.observe(ctx, "", stands.Requests)
	if err != nil {
		return nil, err
	}
	s.stopped = false
	status[step.SessionReopened] = seen
	return status, nil
}

func (l *loopSessions) holds(id string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.open[id] != nil
}

// record is what is written of a round, without secrets.
func (l *loopSessions) record(call *step.SessionCall) folder.Record {
	given := call.Load.(runner.SessionRecord)
	r := folder.Record{
		State: given.State, Events: given.Events, Iteration: call.Iteration, Prompt: given.Prompt, Result: given.Result,
		Control: given.Control, Rejected: given.Rejected, Invalid: given.Invalid,
	}
	if r.Prompt != nil {
		text := l.masker.Text(*r.Prompt)
		r.Prompt = &text
	}
	if r.Result != nil {
		result := *r.Result
		result.Text, result.Error = l.masker.Text(result.Text), l.masker.Text(result.Error)
		result.HarnessRunID, result.HarnessOutputDir = l.runID, l.runDir
		r.Result = &result
	}
	return r
}

// create makes a session and holds its tree.
func (l *loopSessions) create(ctx context.Context, o runner.SessionOpening) (any, error) {
	dir := o.Dir
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(l.workDir, dir)
	}
	if o.Parent == "" {
		o.Parent = l.around
	}
	if err := l.apart(ctx, dir); err != nil {
		return nil, err
	}
	tree, err := l.hold(ctx, dir, o.Parent, o.Step)
	if err != nil {
		return nil, err
	}
	x, err := l.begun(ctx, o.Step)
	if x == nil && err == nil {
		x, err = l.store.Create(ctx, folder.Opening{
			Meta: sessions.Meta{RunID: l.runID, Recipe: o.Recipe, Step: o.Step, WorkDir: dir, ParentSessionID: o.Parent},
			Goal: o.Goal, At: o.At, Random: rand.Reader, Holder: l.holder(o.Step),
		})
	}
	if err != nil {
		return nil, errors.Join(err, tree.Release())
	}
	s := l.keep(x, tree)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.open[x.ID()] = s
	s.watch(0)
	return map[string]any{"id": x.ID(), "dir": x.Dir(), "work_dir": dir, "watch_manifest": l.manifest(o.Paths)}, nil
}

// begun finds the session of a loop whose process died before it could record
// that it had made it; nil where there is none.
func (l *loopSessions) begun(ctx context.Context, path string) (*folder.Session, error) {
	if !l.resumed {
		return nil, nil
	}
	ids, err := l.store.IDs()
	if err != nil {
		return nil, err
	}
	for _, id := range ids {
		view, err := l.store.Look(id)
		if err != nil || view.State != nil || view.Meta.RunID != l.runID || view.Meta.Step != path {
			continue // also one that cannot be read, which is no session of ours
		}
		return l.store.Open(ctx, id, l.holder(path))
	}
	return nil, nil
}

// manifest is what the watched files are before the first round.
func (l *loopSessions) manifest(paths []string) any {
	if len(paths) == 0 {
		return nil
	}
	e := evidence.Collect(evidence.Inputs{WatchPaths: strings.Join(paths, "\n")}, evidence.World{
		Git: func(string, ...string) (string, error) { return "", errors.New("not asked") },
		Files: func(dir string) fs.FS {
			if filepath.IsAbs(dir) {
				return os.DirFS(dir)
			}
			return os.DirFS(filepath.Join(l.workDir, dir))
		},
	})
	found := map[string]any{}
	for name, mark := range e.WatchManifest {
		found[name] = mark
	}
	return value.JSON(found)
}

func (l *loopSessions) holder(path string) string {
	return fmt.Sprintf("the loop %s of run %s, process %d", path, l.runID, os.Getpid())
}

// hold takes the working tree of a loop. A loop inside a round of another works
// in that one's tree with it, but not beside a third.
func (l *loopSessions) hold(ctx context.Context, dir, parent, path string) (*folder.Hold, error) {
	tree := dir
	if root := repositoryRoot(dir); root != "" {
		tree = root
	}
	if real, err := filepath.EvalSymlinks(tree); err == nil {
		tree = real
	}
	sum := sha256.Sum256([]byte(tree))
	name := hex.EncodeToString(sum[:8])
	if parent != "" {
		name += "." + parent
	}
	return folder.Take(ctx, filepath.Join(l.trees, name), "the working tree "+tree, l.holder(path))
}

func (l *loopSessions) keep(x *folder.Session, tree *folder.Hold) *loopSession {
	s := &loopSession{Session: x, tree: tree}
	s.now, s.cancel = context.WithCancelCause(context.Background())
	return s
}

// watch looks for a stop --now until the session is closed.
func (s *loopSession) watch(seen int) {
	s.watcher.Go(func() {
		_, err := s.Await(s.now, requestEvery, seen, func(r sessions.Request) bool {
			return r.Kind == sessions.RequestStop && r.Now
		})
		if err == nil {
			s.cancel(errStopNow)
		}
	})
}

// get gives a session that this process holds, or takes over one of the process
// that the run was resumed from.
func (l *loopSessions) get(ctx context.Context, id string) (*loopSession, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if s := l.open[id]; s != nil {
		return s, nil
	}
	view, err := l.store.Look(id)
	if err != nil {
		return nil, err
	}
	tree, err := l.hold(ctx, view.Meta.WorkDir, view.Meta.ParentSessionID, view.Meta.Step)
	if err != nil {
		return nil, err
	}
	x, err := l.store.Open(ctx, id, l.holder(view.Meta.Step))
	if err != nil {
		return nil, errors.Join(err, tree.Release())
	}
	s := l.keep(x, tree)
	seen, iteration := 0, ""
	if view.State != nil {
		seen = view.State.Requests
		if task := view.State.CurrentTask; task != nil {
			iteration = sessions.IterationName(task.Iteration, task.Workflow)
		}
	}
	found, err := x.Observe(ctx, iteration, seen)
	if err != nil {
		return nil, errors.Join(err, x.Close(), tree.Release())
	}
	s.stopped = !found.Control.Running() || len(found.Tampered) > 0
	l.open[id] = s
	s.watch(seen)
	return s, nil
}

// Within bounds an action by the loops that it is part of. What a resumed round
// still wants to do is not done where the control file says stop.
func (l *loopSessions) Within(ctx context.Context, a *step.Action) (context.Context, func(), error) {
	bounded, cancel := context.WithCancelCause(ctx)
	release := func() { cancel(nil) }
	for i, id := range a.Loops {
		s, err := l.get(ctx, id)
		if err != nil {
			release()
			return nil, nil, err
		}
		own := i == len(a.Loops)-1 && filepath.Base(a.Env["BRICKOVEN_SESSION_DIR"]) != id
		if s.stopped && !own {
			cancel(errStopped)
		}
		stop := context.AfterFunc(s.now, func() { cancel(context.Cause(s.now)) })
		before := release
		release = func() { stop(); before() }
	}
	return bounded, release, nil
}

func (l *loopSessions) close(id string) error {
	l.mu.Lock()
	s := l.open[id]
	delete(l.open, id)
	l.mu.Unlock()
	s.cancel(nil)
	s.watcher.Wait()
	return errors.Join(s.Session.Close(), s.tree.Release())
}

// checkWorkflows tells what is wrong with the workflows: of a loop.
func checkWorkflows(v any) error {
	_, err := sessions.DecodeWorkflows(v)
	return err
}
