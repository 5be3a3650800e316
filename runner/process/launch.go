package process

import (
	"errors"
	"io"
	"os"
	"syscall"
	"time"
)

// launch starts the child. Its streams wait until it is supervised.
func (f *Family) launch(s Spec) (*child, error) {
	c := &child{spec: s, family: f}
	var fds descriptors
	defer fds.close()
	stdin, err := fds.stdin(s.Stdin)
	if err != nil {
		return nil, startError(s, err)
	}
	stdout, stderr, err := fds.outputs(s)
	if err != nil {
		return nil, startError(s, err)
	}
	program, err := resolve(s)
	if err != nil {
		return nil, startError(s, err)
	}
	attr := &os.ProcAttr{Dir: s.Dir, Files: []*os.File{stdin, stdout.child, stderr.child}}
	attr.Env, c.token = f.environment(s)
	attr.Sys = c.group.attributes()
	c.begun = time.Now()
	if err := c.start(program, attr); err != nil {
		fds.abandon()
		return nil, startError(s, err)
	}
	if s.IdleTimeout > 0 {
		c.pulse = &pulse{begun: time.Now()}
	}
	c.connect("stdout", stdout, s.Stdout)
	if stderr.ours != stdout.ours {
		c.connect("stderr", stderr, s.Stderr)
	}
	c.feed = newFeed(fds.input, s.Stdin)
	return c, nil
}

// start creates the process and tells the family its number before anyone can
// mistake it for an adopted one.
func (c *child) start(program string, attr *os.ProcAttr) error {
	defer c.family.starting()()
	proc, err := os.StartProcess(program, c.spec.Argv, attr)
	if err != nil {
		return err
	}
	c.proc = proc
	c.ident = identify(proc.Pid)
	c.group.join(proc)
	c.family.register(proc.Pid)
	return nil
}

func (c *child) connect(name string, end pipeEnds, out io.Writer) {
	if end.ours == nil {
		return
	}
	c.pumps = append(c.pumps, newPump(name, end.ours, out, c.pulse))
}

// startError names what is at fault: the working directory where that is it.
func startError(s Spec, err error) error {
	program := ""
	if len(s.Argv) > 0 {
		program = s.Argv[0]
	}
	if s.Dir != "" {
		info, dirErr := os.Stat(s.Dir)
		if dirErr == nil && !info.IsDir() {
			dirErr = syscall.ENOTDIR
		}
		if dirErr != nil {
			return &StartError{Program: program, Dir: s.Dir, Err: cause(dirErr)}
		}
	}
	return &StartError{Program: program, Err: cause(err)}
}

// cause strips the path and call that os puts around an errno, because
// StartError names both already.
func cause(err error) error {
	if path, ok := errors.AsType[*os.PathError](err); ok {
		return path.Err
	}
	if call, ok := errors.AsType[*os.SyscallError](err); ok {
		return call.Err
	}
	return err
}
