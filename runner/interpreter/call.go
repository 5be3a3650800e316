package interpreter

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"sync/atomic"
	"time"

	"mvdan.cc/sh/v3/interp"
)

const (
	// maxFrames is how deep the interpreter may be in calls of its own: some five
	// thousand of the script's functions, and far below what ends the program.
	maxFrames = 50_000
	// looked is how many commands pass between two looks at the depth.
	looked = 256
	// maxMemory is what a script may add to the memory of this process.
	maxMemory = 512 << 20
)

// excessError ends a script that would take the whole program with it.
type excessError struct{ what string }

func (e *excessError) Error() string { return e.what + "; let bash run this command" }

// counter counts the commands of a script and of its subshells.
type counter struct{ n atomic.Int64 }

func (c *counter) look() bool { return c.n.Add(1)%looked == 0 }

// codePipe is how a shell ends that writes into a pipe which nobody reads.
const codePipe = "141"

// call looks at every command before it runs. A builtin that prints into a pipe
// without a reader would not notice, where the process of a shell dies of it.
func (s *session) call(ctx context.Context, args []string) ([]string, error) {
	if s.calls.look() && tooDeep() {
		err := &excessError{"the functions of the command call each other without end"}
		s.stop(err)
		return nil, err
	}
	switch args[0] {
	case "echo", "printf", "pwd":
		if out, ok := interp.HandlerCtx(ctx).Stdout.(*os.File); ok && unread(out) {
			return []string{"exit", codePipe}, nil
		}
	case "test", "[":
		if holds, known := plainTest(args); known {
			return []string{strconv.FormatBool(holds)}, nil
		}
	}
	return args, nil
}

// tooDeep tells whether this goroutine is about to exhaust its stack, which
// would end the program.
func tooDeep() bool {
	var one [1]uintptr
	return runtime.Callers(maxFrames, one[:]) > 0
}

// watchMemory ends a script that fills the memory, where a shell would be a
// process that the system can end. Short commands are over before the first
// look. It returns what ends the watch.
func (s *session) watchMemory() (end func()) {
	const pause = 50 * time.Millisecond
	var over atomic.Bool
	var look func(before uint64)
	look = func(before uint64) {
		heap := heapSize()
		switch {
		case over.Load():
			return
		case before == 0:
			before = heap
		case heap > before+s.memory:
			s.stop(&excessError{fmt.Sprintf("the command takes more than %d MiB of memory", s.memory>>20)})
			return
		}
		time.AfterFunc(pause, func() { look(before) })
	}
	first := time.AfterFunc(pause, func() { look(0) })
	return func() {
		over.Store(true)
		first.Stop()
	}
}
