//go:build unix

package main

import "syscall"

// become replaces this process by another program; it only returns on failure.
func become(path string, args, environ []string) error {
	return syscall.Exec(path, append([]string{path}, args...), environ)
}
