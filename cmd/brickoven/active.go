package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/brickoven/brickoven/recipes"
	"github.com/brickoven/brickoven/runner/exit"
	"github.com/brickoven/brickoven/runner/journal"
	"github.com/brickoven/brickoven/runner/local"
	"github.com/brickoven/brickoven/runner/mask"
	"github.com/brickoven/brickoven/runner/process"
	"github.com/brickoven/brickoven/runner/step"
)

// activeRun is what a run on this machine needs around it: its folder with lock
// and journal, the executor, and those who watch.
type activeRun struct {
	id       string
	lock     *journal.Lock
	machine  *local.Machine
	progress *progress
	ci       *ciLog
	audit    *audit
	attempt  int // how many owners the run has had, this one included
	known    map[string]step.Event
	used     chan step.Event // what agents have used so far
	about    about
	ended    bool
	faults   []error
}

// openRun makes the folder of a new run and becomes its owner.
func (a *app) openRun(o *runOptions, set *settings, tree *recipes.Tree) (*activeRun, error) {
	id, dir, err := a.runFolder(o)
	if err != nil {
		return nil, &failure{exit.Usage, err}
	}
	s, err := a.openSession(o, set, tree, id, dir)
	if err != nil {
		return nil, err
	}
	s.machine.Journal, err = journal.Create(dir, journalOptions(o, s.machine.Mask))
	if err != nil {
		s.closeInto(&err)
		return nil, &failure{exit.Failed, err}
	}
	return s, nil
}

// openSession locks a run's folder and sets up what works in it, but for the
// journal.
func (a *app) openSession(o *runOptions, set *settings, tree *recipes.Tree, id, dir string) (s *activeRun, err error) {
	lock, err := journal.Acquire(dir, owner(set.masker))
	if err != nil {
		return nil, heldOr(err, exit.Failed)
	}
	s = &activeRun{id: id, lock: lock, attempt: 1}
	defer func() {
		if err != nil {
			err = errors.Join(err, lock.Release())
		}
	}()
	store, err := local.OpenStore(dir, len(set.Secrets) > 0)
	if err != nil {
		return nil, &failure{exit.Failed, err}
	}
	store.Mask = set.masker
	if s.machine, err = a.machine(set, tree, id, store); err != nil {
		return nil, errors.Join(err, store.Close())
	}
	s.used = make(chan step.Event)
	s.machine.Agents.Used = s.used
	if o.auditDir != "" {
		if s.audit, err = openAudit(o.auditDir, tree.Root.Name, time.Now()); err != nil {
			return nil, &failure{exit.Usage, errors.Join(err, store.Close())}
		}
	}
	s.progress = a.newProgress(o)
	s.ci = a.newCI(&o.ciOptions, tree, s.machine)
	return s, nil
}

// heldOr gives an error its exit code: held by another process, or the other.
func heldOr(err error, code int) error {
	var held *journal.HeldError
	if errors.As(err, &held) {
		code = exit.Held
	}
	return &failure{code, err}
}

// owner is this process as the owner of a run, without secrets.
func owner(masker *mask.Masker) journal.Owner {
	host, err := os.Hostname()
	if err != nil {
		host = ""
	}
	return journal.Owner{Process: process.Self(), Host: host, Command: masker.Text(strings.Join(os.Args, " ")), Since: time.Now().UTC()}
}

// begin writes the first record of the journal.
func (s *activeRun) begin(set *settings, tree *recipes.Tree, vars []recipes.Variable, at time.Time) error {
	options, err := json.Marshal(set)
	if err != nil {
		return err
	}
	who := owner(set.masker)
	rec := journal.RunStarted{
		RunID: s.id, Recipe: tree.Root.Name, Start: at, Dir: set.WorkDir, Owner: who.Process, Host: who.Host,
		Versions: map[string]string{"brickoven": version()}, Options: options,
	}
	for _, v := range vars {
		rec.Vars = append(rec.Vars, journal.Variable{Name: v.Name, Value: journal.Carry(v.Value)})
	}
	for _, text := range tree.Texts() {
		rec.Sources = append(rec.Sources, journal.Source{Path: text.Path, SHA256: local.Digest(text.Text), Text: text.Text})
	}
	return s.machine.Journal.Append(journal.KindRunStarted, rec)
}

// end writes the last record of an attempt.
func (s *activeRun) end(status, reason string, code int) error {
	s.ended = true
	return s.machine.Journal.Append(journal.KindRunFinished, journal.RunFinished{Status: status, Reason: reason, ExitCode: code})
}

// lost ends a run whose journal still works although something else does not.
func (s *activeRun) lost(cause error) error {
	var storage *journal.StorageError
	var refused *journal.RefusedError
	if errors.As(cause, &storage) || errors.As(cause, &refused) {
		return nil
	}
	return s.end("crashed", cause.Error(), exit.Failed)
}

// recordPanic writes an end before a fault of this program goes its way.
func (s *activeRun) recordPanic() {
	if p := recover(); p != nil {
		reason := fmt.Sprintf("internal error: %v", p)
		if fault, is := p.(*process.PanicError); is {
			reason = fault.Error()
			p = fmt.Sprintf("%v\n\n%s", fault, fault.Stack)
		}
		if !s.ended {
			s.faults = append(s.faults, s.end("crashed", reason, exit.Failed))
		}
		panic(p)
	}
}

// endGrace is what background children get between TERM and KILL at the end of
// a run.
const endGrace = 2 * time.Second

// closeInto ends the session. What goes wrong is returned where nothing else
// has gone wrong before.
func (s *activeRun) closeInto(err *error) {
	s.endFamily()
	faults := append(slices.Clone(s.faults), s.machine.Store.Close())
	if s.machine.Journal != nil {
		faults = append(faults, s.machine.Journal.Close())
	}
	if s.audit != nil {
		faults = append(faults, s.audit.close())
	}
	s.progress.done()
	faults = append(faults, s.lock.Release())
	if fault := errors.Join(faults...); fault != nil && *err == nil {
		*err = &failure{exit.Failed, fault}
	}
}

// endFamily ends what steps left in the background; the second time there is
// nothing left to end.
func (s *activeRun) endFamily() {
	if _, err := s.machine.Family.End(endGrace); err != nil {
		s.faults = append(s.faults, err)
	}
}

// keep stores the values from the command line that are too large to carry.
func (s *activeRun) keep(vars []recipes.Variable) ([]recipes.Variable, error) {
	kept := make([]recipes.Variable, len(vars))
	for i, v := range vars {
		stored, err := s.machine.Store.Keep("context."+v.Name, v.Value)
		if err != nil {
			return nil, err
		}
		kept[i] = v
		kept[i].Value = stored
	}
	return kept, nil
}

func (s *activeRun) observe(n step.Note) {
	n = s.masked(n)
	s.progress.note(n)
	s.ci.note(n)
	if s.audit == nil {
		return
	}
	if err := s.audit.note(n); err != nil {
		s.faults = append(s.faults, err)
	}
}

// masked is a note without secrets.
func (s *activeRun) masked(n step.Note) step.Note {
	if s.machine.Mask == nil {
		return n
	}
	n.Text, n.Value = s.machine.Mask.Text(n.Text), s.machine.Mask.Value(n.Value)
	if n.Outcome != nil {
		o := *n.Outcome
		o.Error, o.Output = s.machine.Mask.Text(o.Error), s.machine.Mask.Value(o.Output)
		o.Outputs, _ = s.machine.Mask.Value(o.Outputs).(map[string]any)
		n.Outcome = &o
	}
	return n
}

// now is the clock of runs.
func now() time.Time { return time.Now() }

// runsFolder is where the runs of the working directory's project lie.
func (a *app) runsFolder(stateDir, workDir string) (string, error) {
	locations, err := a.locations(stateDir, workDir)
	if err != nil {
		return "", err
	}
	return locations.Runs(), nil
}

// newestRun gives the folder of the newest run that has a record.
func newestRun(runs string) (string, error) {
	list, err := journal.List(runs)
	if err != nil {
		return "", &failure{exit.Failed, err}
	}
	if len(list) == 0 {
		return "", &failure{exit.NotFound, fmt.Errorf("there are no runs in %s", runs)}
	}
	return list[0].Dir, nil
}

// findRun gives the folder of a run by its id, or by a beginning of it that no
// other run has; without an id the newest run.
func (a *app) findRun(runs, id string) (string, error) {
	if id == "" {
		return newestRun(runs)
	}
	entries, err := os.ReadDir(runs)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return "", &failure{exit.Failed, err}
	}
	var names []string
	for _, e := range entries {
		if e.IsDir() && strings.HasPrefix(e.Name(), id) {
			names = append(names, e.Name())
		}
	}
	slices.Sort(names)
	switch {
	case len(names) == 0:
		return "", &failure{exit.NotFound, fmt.Errorf("there is no run %s in %s", id, runs)}
	case len(names) > 1 && !slices.Contains(names, id):
		return "", &failure{exit.Usage, fmt.Errorf("%s is the beginning of %d runs: %s", id, len(names), strings.Join(names, ", "))}
	case slices.Contains(names, id):
		return filepath.Join(runs, id), nil
	}
	return filepath.Join(runs, names[len(names)-1]), nil
}
