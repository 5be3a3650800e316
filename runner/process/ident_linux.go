package process

import (
	"bytes"
	"errors"
	"os"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/sys/unix"
)

// bootID tells one boot of the machine from the next: clock ticks since boot
// alone would repeat.
var bootID = sync.OnceValue(func() string {
	id, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(id))
})

// stat is the part of /proc/<pid>/stat that matters here.
type stat struct {
	pid, ppid, pgid int
	state           byte
	ticks           uint64 // start, in clock ticks since boot
}

func (s stat) dead() bool { return s.state == 'Z' || s.state == 'X' }

func (s stat) ident() Ident {
	return Ident{PID: s.pid, PGID: s.pgid, Start: bootID() + "/" + strconv.FormatUint(s.ticks, 10)}
}

func readStat(pid int) (stat, bool) {
	var buf [1024]byte
	text, err := readProc("/proc/"+strconv.Itoa(pid)+"/stat", buf[:])
	if err != nil {
		return stat{}, false
	}
	return parseStat(pid, text)
}

// readProc reads a small file of the kernel's in one go, into buf as far as that
// reaches. It does without what os.File does for a file that may block, which is
// most of the price of so small a file.
func readProc(path string, buf []byte) ([]byte, error) {
	fd, err := ignoringEINTR(func() (int, error) { return unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC, 0) })
	if err != nil {
		return nil, err
	}
	n, err := ignoringEINTR(func() (int, error) { return unix.Read(fd, buf) })
	return buf[:max(n, 0)], errors.Join(err, unix.Close(fd))
}

func ignoringEINTR(call func() (int, error)) (int, error) {
	for {
		n, err := call()
		if !errors.Is(err, unix.EINTR) {
			return n, err
		}
	}
}

// parseStat cuts behind the last parenthesis, because the program's name in
// front of it may hold spaces and parentheses.
func parseStat(pid int, text []byte) (stat, bool) {
	_, rest, ok := bytes.Cut(text[bytes.LastIndexByte(text, ')')+1:], []byte(" "))
	fields := strings.Fields(string(rest))
	const startField = 22 - 3 // the rest begins with field 3
	if !ok || len(fields) <= startField {
		return stat{}, false
	}
	ppid, err1 := strconv.Atoi(fields[1])
	pgid, err2 := strconv.Atoi(fields[2])
	ticks, err3 := strconv.ParseUint(fields[startField], 10, 64)
	if err1 != nil || err2 != nil || err3 != nil {
		return stat{}, false
	}
	return stat{pid: pid, ppid: ppid, pgid: pgid, state: fields[0][0], ticks: ticks}, true
}

func identify(pid int) Ident {
	s, ok := readStat(pid)
	if !ok {
		return Ident{PID: pid, PGID: pid}
	}
	// The child may not have reached its own group yet in the kernel's books.
	s.pgid = pid
	return s.ident()
}

// everyone lists the processes of the machine that can be read.
func everyone() []stat {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer func() { _ = dir.Close() }()
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return nil
	}
	var all []stat
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		if s, ok := readStat(pid); ok {
			all = append(all, s)
		}
	}
	return all
}

// environOf reads the environment that a process was started with. ok is false
// when it may not be read or the process is a zombie.
func environOf(pid int) (entries []string, ok bool) {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/environ")
	if err != nil || len(text) == 0 {
		return nil, false
	}
	return strings.Split(strings.TrimSuffix(string(text), "\x00"), "\x00"), true
}

var selfPID = os.Getpid()

// ticksOf is the start of id in clock ticks since its boot.
func ticksOf(id Ident) uint64 {
	_, text, _ := strings.Cut(id.Start, "/")
	ticks, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return 0
	}
	return ticks
}
