//go:build unix

// Command spawn starts /bin/bash -c true so many times, one after another, and
// does nothing else: the floor below a runner's steps.
//
//	spawn raw|exec COUNT
//
// With raw it goes through fork and exec alone, which Go does on Linux the way
// posix_spawn does (CLONE_VFORK and CLONE_VM); with exec through os/exec.
package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"syscall"
)

func main() {
	if err := loop(os.Args); err != nil {
		fmt.Fprintln(os.Stderr, "spawn:", err)
		os.Exit(1)
	}
}

func loop(args []string) error {
	if len(args) != 3 {
		return fmt.Errorf("usage: spawn raw|exec COUNT")
	}
	count, err := strconv.Atoi(args[2])
	if err != nil {
		return err
	}
	start := throughExec
	if args[1] == "raw" {
		start = raw
	}
	for range count {
		if err := start(); err != nil {
			return err
		}
	}
	return nil
}

func throughExec() error { return exec.Command("/bin/bash", "-c", "true").Run() }

func raw() error {
	pid, err := syscall.ForkExec("/bin/bash", []string{"/bin/bash", "-c", "true"}, &syscall.ProcAttr{
		Env: os.Environ(), Files: []uintptr{0, 1, 2},
	})
	if err != nil {
		return err
	}
	var status syscall.WaitStatus
	for {
		_, err := syscall.Wait4(pid, &status, 0, nil)
		if errors.Is(err, syscall.EINTR) {
			continue
		}
		if err == nil && status.ExitStatus() != 0 {
			err = fmt.Errorf("bash ended with %d", status.ExitStatus())
		}
		return err
	}
}
