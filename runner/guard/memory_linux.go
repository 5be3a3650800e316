package guard

import (
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// available is the smaller of what the machine has left and what the control
// groups around this process still allow.
//
// A look costs a dozen files where control groups are nested, so it is believed
// for a while: the longer, the further away the end of the memory is.
func (l *linux) available() (int64, bool) {
	const plenty = 1 << 30
	l.mu.Lock()
	defer l.mu.Unlock()
	believed := fresh
	if l.free > plenty {
		believed = 10 * fresh
	}
	if time.Since(l.looked) > believed {
		l.free, l.freeKnown = availableBelow("/")
		l.looked = time.Now()
	}
	return l.free, l.freeKnown
}

// availableBelow reads the files of the system below root.
func availableBelow(root string) (int64, bool) {
	free, ok := field(filepath.Join(root, "proc/meminfo"), "MemAvailable:")
	free <<= 10
	if room, limited := groupRoom(root); limited && (!ok || room < free) {
		return room, true
	}
	return free, ok
}

// groups says how a version of control groups lays out its files.
type groups struct {
	mark         string // in /proc/self/cgroup, before the path of the group
	folder       string
	limit, usage string
	cache        []string // what of the usage the kernel would give up
}

// versions lists the versions of control groups, of which a machine may have
// both.
func versions() []groups {
	return []groups{
		{"0::", "sys/fs/cgroup", "memory.max", "memory.current", []string{"inactive_file", "active_file", "slab_reclaimable"}},
		{":memory:", "sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes",
			[]string{"total_inactive_file", "total_active_file"}},
	}
}

// groupRoom is what the tightest control group around this process has left;
// limited is false where none sets a limit. Page cache that the kernel would
// give up counts as free, or every long-lived group would look full.
func groupRoom(root string) (room int64, limited bool) {
	own, err := os.ReadFile(filepath.Join(root, "proc/self/cgroup"))
	if err != nil {
		return 0, false
	}
	room = math.MaxInt64
	for _, v := range versions() {
		for line := range strings.Lines(string(own)) {
			_, path, ok := strings.Cut(strings.TrimRight(line, "\n"), v.mark)
			if !ok {
				continue
			}
			for path = filepath.Clean("/" + path); ; path = filepath.Dir(path) {
				if left, has := v.left(filepath.Join(root, v.folder, path)); has {
					room, limited = min(room, left), true
				}
				if path == "/" {
					break
				}
			}
		}
	}
	return room, limited
}

// left is what one control group has left of its limit.
func (v groups) left(dir string) (bytes int64, limited bool) {
	limit, ok := single(filepath.Join(dir, v.limit))
	if !ok {
		return 0, false
	}
	used, ok := single(filepath.Join(dir, v.usage))
	if !ok {
		return 0, false
	}
	for _, name := range v.cache {
		reclaimable, _ := field(filepath.Join(dir, "memory.stat"), name)
		used -= reclaimable
	}
	return max(limit-max(used, 0), 0), true
}

// single reads a file that holds one number; ok is false for the word max.
func single(path string) (n int64, ok bool) {
	data, err := os.ReadFile(path)
	if err != nil {
		return 0, false
	}
	n, err = strconv.ParseInt(strings.TrimSpace(string(data)), 10, 64)
	return n, err == nil
}

// field reads the number behind a name in a file with a name in each line.
func field(path, name string) (n int64, ok bool) {
	data, err := os.ReadFile(path)
	if err != nil {
		return 0, false
	}
	for line := range strings.Lines(string(data)) {
		words := strings.Fields(line)
		if len(words) < 2 || words[0] != name {
			continue
		}
		n, err := strconv.ParseInt(words[1], 10, 64)
		return n, err == nil
	}
	return 0, false
}
