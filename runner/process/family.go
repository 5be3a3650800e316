package process

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Family is the set of children that this program runs at a time. It exists
// once in a program, because on Linux [Adopt] makes the whole program the
// reaper of what its descendants orphan. All its methods work on nil, which
// stands for no family, and are safe for concurrent use.
//
// Within a Family other code may still use os/exec: children in this program's
// own process group are never touched. Children that others put into groups of
// their own must be started through the Family.
//
// A process that left its group is known by the [EnvStepToken] it was started
// with. One that was started with an empty environment is ended with the step
// that ends while no other runs, or by [Family.End].
type Family struct {
	name string // the beginning of every step token

	count  atomic.Int64 // tokens given out
	active atomic.Int64 // Runs in progress
	reaped atomic.Int64 // when, in nanoseconds of the wall clock

	// forking is held for reading from the fork to the registration, so that
	// whoever holds it for writing knows every child by number.
	forking sync.RWMutex

	mu      sync.Mutex
	running map[int]bool   // children that are waited for by Run
	kept    map[int]Ident  // groups that may live until End
	excused map[Ident]bool // adopted processes that belong to detached steps
	endings []func()       // stop what programs within this process left running
	ended   bool
}

// Adopt makes the one Family of this program. On Linux the program becomes a
// child subreaper; the error says that the kernel refused. End it with
// [Family.End].
func Adopt() (*Family, error) {
	f := &Family{
		running: map[int]bool{},
		kept:    map[int]Ident{},
		excused: map[Ident]bool{},
	}
	f.name = familyName()
	if err := f.adopt(); err != nil {
		return nil, fmt.Errorf("becoming the reaper of orphans: %w", err)
	}
	return f, nil
}

// End ends everything that steps left running until now, detached ones
// excepted. It returns how many processes it ended and
// a [*SurvivorError] when some would not go. No Run may be in progress.
func (f *Family) End(grace time.Duration) (ended int, err error) {
	if f == nil {
		return 0, nil
	}
	f.endPrograms()
	ended, left := f.endKept(grace)
	if len(left) > 0 {
		return ended, &SurvivorError{left}
	}
	return ended, nil
}

// atEnd keeps a function for [Family.End]; false where no End will come.
func (f *Family) atEnd(stop func()) bool {
	if f == nil {
		return false
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.ended {
		return false
	}
	f.endings = append(f.endings, stop)
	return true
}

// endPrograms stops what programs within this process left running, all at
// once.
func (f *Family) endPrograms() {
	f.mu.Lock()
	endings := f.endings
	f.endings, f.ended = nil, true
	f.mu.Unlock()
	var stopping sync.WaitGroup
	for _, stop := range endings {
		stopping.Go(stop)
	}
	stopping.Wait()
}

func (f *Family) enter() {
	if f != nil {
		f.active.Add(1)
	}
}

func (f *Family) leave() {
	if f != nil {
		f.active.Add(-1)
	}
}

// starting marks a fork in progress until the returned function is called.
func (f *Family) starting() (done func()) {
	if f == nil {
		return func() {}
	}
	f.forking.RLock()
	return f.forking.RUnlock
}

func (f *Family) register(pid int) {
	if f != nil {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.running[pid] = true
	}
}

func (f *Family) forget(pid int) {
	if f != nil {
		f.mu.Lock()
		defer f.mu.Unlock()
		delete(f.running, pid)
	}
}

func (f *Family) keep(c *child) {
	if f == nil {
		return
	}
	if !c.group.alive() {
		f.reapAgain()
		return
	}
	f.reap() // what is left of the group may have ended
	if c.group.alive() {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.kept[c.ident.PGID] = c.ident
	}
}

// reapAgain reaps where that was not done for a while, so that many short steps
// do not gather what they orphaned.
func (f *Family) reapAgain() {
	last := f.reaped.Load()
	now := time.Now().UnixNano()
	if now-last >= int64(reapPause) && f.reaped.CompareAndSwap(last, now) {
		f.reap()
	}
}

// environment adds the marks of the family to the environment of a child.
func (f *Family) environment(s Spec) (env []string, token string) {
	env = s.Env
	if f == nil && s.Leftover != Detach {
		return env, ""
	}
	outer := ""
	env = slices.DeleteFunc(slices.Clone(env), func(entry string) bool {
		value, ours := strings.CutPrefix(entry, EnvStepToken+"=")
		if ours {
			outer = value + "/"
		}
		return ours || strings.HasPrefix(entry, EnvDetached+"=")
	})
	if s.Leftover == Detach {
		return append(env, EnvDetached+"=1"), ""
	}
	token = fmt.Sprintf("%s%s-%d", outer, f.name, f.count.Add(1))
	return append(env, EnvStepToken+"="+token), token
}
