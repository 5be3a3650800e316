package process

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

func familyName() string {
	s, _ := readStat(selfPID)
	return fmt.Sprintf("%d-%d", selfPID, s.ticks)
}

func (f *Family) adopt() error {
	return unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
}

// adopted lists the children that were not started by Run. Children in our own
// process group belong to other code of this program. Without the forking lock
// a child that is just being started may be among them.
func (f *Family) adopted() []stat {
	var found []stat
	for _, pid := range childrenOfSelf() {
		f.mu.Lock()
		ours := f.running[pid]
		f.mu.Unlock()
		if ours {
			continue
		}
		s, ok := readStat(pid)
		if ok && s.ppid == selfPID && s.pgid != selfPGID {
			found = append(found, s)
		}
	}
	return found
}

var selfPGID = syscall.Getpgrp()

// childrenOfSelf reads the children of our first thread. The kernel gives
// orphans to the first thread of a reaper, so that one file is enough. A kernel
// without that file makes us look at every process.
func childrenOfSelf() []int {
	self := strconv.Itoa(selfPID)
	text, err := os.ReadFile("/proc/self/task/" + self + "/children")
	if err != nil {
		return childrenByScan()
	}
	fields := strings.Fields(string(text))
	pids := make([]int, 0, len(fields))
	for _, field := range fields {
		if pid, err := strconv.Atoi(field); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids
}

func childrenByScan() []int {
	var pids []int
	for _, s := range everyone() {
		if s.ppid == selfPID {
			pids = append(pids, s.pid)
		}
	}
	return pids
}

// reap waits for the adopted children that have ended. It does nothing while a
// fork is in progress, lest it take the status of a child that Run has not
// registered yet; ended children can wait.
func (f *Family) reap() {
	if f == nil || !f.forking.TryLock() {
		return
	}
	defer f.forking.Unlock()
	for _, s := range f.adopted() {
		if s.state == 'Z' {
			reapOne(s.pid)
		}
	}
}

func reapOne(pid int) {
	for {
		_, err := syscall.Wait4(pid, nil, syscall.WNOHANG, nil)
		if !errors.Is(err, syscall.EINTR) {
			return
		}
	}
}

// remnants lists what lives of the child's group and, in a family, what left
// the group. It costs two system calls when there is nothing.
func (c *child) remnants() []Ident {
	found := c.family.strays(c)
	if !c.group.alive() {
		return found
	}
	c.family.reap()
	for _, s := range everyone() {
		if s.pgid == c.group.id && !s.dead() {
			found = append(found, s.ident())
		}
	}
	return found
}

// strays lists the adopted processes outside the group that belong to c.
func (f *Family) strays(c *child) []Ident {
	if f == nil {
		return nil
	}
	var found []Ident
	ended := false
	for _, s := range f.adopted() {
		switch {
		case s.dead():
			ended = true
		case s.pgid != c.group.id && f.belongs(s, c.token):
			found = append(found, s.ident())
		}
	}
	if ended {
		f.reap()
	}
	return found
}

// belongs attributes an adopted process to a step by the token it was started
// with. One that hides its environment is the step's if no other step runs.
func (f *Family) belongs(s stat, token string) bool {
	env, _ := environOf(s.pid)
	if slices.Contains(env, EnvDetached+"=1") {
		return false
	}
	for _, entry := range env {
		if theirs, has := strings.CutPrefix(entry, EnvStepToken+"="); has {
			return theirs == token || strings.HasPrefix(theirs, token+"/")
		}
	}
	return f.unclaimed(s)
}

// unclaimed decides about an adopted process without a token. The forking lock
// makes sure that it is none that is just being started.
func (f *Family) unclaimed(s stat) bool {
	if f.active.Load() != 1 || !f.forking.TryLock() {
		return false
	}
	defer f.forking.Unlock()
	f.mu.Lock()
	defer f.mu.Unlock()
	_, kept := f.kept[s.pgid]
	return !kept && !f.running[s.pid] && !f.excused[s.ident()]
}

// excuse remembers the adopted processes of a detached step that carry no mark,
// so that no later step is blamed for them.
func (f *Family) excuse() {
	if f == nil {
		return
	}
	adopted := f.adopted()
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, s := range adopted {
		if !s.dead() {
			f.excused[s.ident()] = true
		}
	}
}

// endKept ends every adopted process but the detached ones.
func (f *Family) endKept(grace time.Duration) (ended int, survivors []Ident) {
	var none group
	h := hunt{group: &none, deadline: time.Now().Add(grace)}
	h.find = func() []Ident {
		f.reap()
		var found []Ident
		for _, s := range f.adopted() {
			if !s.dead() && !f.detached(s) {
				found = append(found, s.ident())
			}
		}
		return found
	}
	return h.run()
}

func (f *Family) detached(s stat) bool {
	f.mu.Lock()
	excused := f.excused[s.ident()]
	f.mu.Unlock()
	if excused {
		return true
	}
	env, _ := environOf(s.pid)
	return slices.Contains(env, EnvDetached+"=1")
}
