package guard

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Mark is the name that a run gives its process, so that it is known among the
// ancestors of another run even when its program was copied or renamed.
const Mark = "brickoven:run"

// linux reads the process tree of /proc.
type linux struct {
	outermost int // the process at the top of the tree
	mu        sync.Mutex
	counted   time.Time
	count     int
	looked    time.Time // at the memory
	free      int64
	freeKnown bool
}

func thisSystem() system {
	sys := &linux{outermost: os.Getpid()}
	for _, pid := range runsAbove(os.Getpid()) {
		sys.outermost = pid
	}
	// The mark is a courtesy to nested runs. Where it cannot be set they count
	// by the environment.
	_ = os.WriteFile("/proc/self/comm", []byte(Mark), 0)
	return sys
}

func (*linux) ancestors() []map[string]string {
	var list []map[string]string
	for _, pid := range runsAbove(os.Getpid()) {
		list = append(list, environment(pid))
	}
	return list
}

// maxAncestors bounds the walk upwards; no sane tree is deeper.
const maxAncestors = 4096

// runsAbove lists the runs among the ancestors of a process, nearest first.
func runsAbove(pid int) (runs []int) {
	for range maxAncestors {
		pid = parent(pid)
		if pid <= 1 {
			return runs
		}
		if isRun(pid) {
			runs = append(runs, pid)
		}
	}
	return runs
}

func isRun(pid int) bool {
	name, err := os.ReadFile(procFile(pid, "comm"))
	return err == nil && strings.TrimSpace(string(name)) == Mark
}

// parent is the parent of a process, 0 where it is gone. The name in the second
// field may hold anything, so fields are counted from its closing parenthesis.
func parent(pid int) int {
	stat, err := os.ReadFile(procFile(pid, "stat"))
	if err != nil {
		return 0
	}
	end := bytes.LastIndexByte(stat, ')')
	if end < 0 {
		return 0
	}
	fields := strings.Fields(string(stat[end+1:]))
	if len(fields) < 2 {
		return 0
	}
	ppid, err := strconv.Atoi(fields[1])
	if err != nil {
		return 0
	}
	return ppid
}

func environment(pid int) map[string]string {
	env := map[string]string{}
	data, err := os.ReadFile(procFile(pid, "environ"))
	if err != nil {
		return env
	}
	for entry := range strings.SplitSeq(string(data), "\x00") {
		if name, text, ok := strings.Cut(entry, "="); ok {
			env[name] = text
		}
	}
	return env
}

func procFile(pid int, name string) string {
	return filepath.Join("/proc", strconv.Itoa(pid), name)
}

// fresh is how long a count of the tree is believed; starting a child takes
// about as long as a count of a wide tree.
const fresh = 20 * time.Millisecond

func (l *linux) nested() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	if time.Since(l.counted) > fresh {
		l.count = childrenOfRuns(l.outermost, os.Getpid(), family())
		l.counted = time.Now()
	}
	return l.count
}

// childrenOfRuns counts the children of every run in the tree below pid but
// one.
func childrenOfRuns(pid, except int, children func(int) []int) (count int) {
	below := children(pid)
	if pid != except && isRun(pid) {
		count = len(below)
	}
	for _, child := range below {
		count += childrenOfRuns(child, except, children)
	}
	return count
}

// family gives what lists the children of a process. A kernel without the file
// children makes it look at every process once.
func family() func(pid int) []int {
	self := strconv.Itoa(os.Getpid())
	if _, err := os.Stat(filepath.Join("/proc/self/task", self, "children")); err == nil {
		return childrenFiles
	}
	return childrenByParent()
}

// childrenFiles lists the children of all threads of a process.
func childrenFiles(pid int) (list []int) {
	files, err := filepath.Glob(procFile(pid, "task/*/children"))
	if err != nil {
		return nil
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			continue
		}
		for field := range strings.FieldsSeq(string(data)) {
			if child, err := strconv.Atoi(field); err == nil {
				list = append(list, child)
			}
		}
	}
	return list
}

func childrenByParent() func(pid int) []int {
	below := map[int][]int{}
	names, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		names = nil
	}
	for _, name := range names {
		if pid, err := strconv.Atoi(filepath.Base(name)); err == nil {
			above := parent(pid)
			below[above] = append(below[above], pid)
		}
	}
	return func(pid int) []int { return below[pid] }
}
