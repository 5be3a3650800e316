package main

import (
	"os"

	"golang.org/x/sys/unix"
)

// forget drops what the kernel's cache holds of a file that is on the disk.
func forget(file *os.File) error {
	return unix.Fadvise(int(file.Fd()), 0, 0, unix.FADV_DONTNEED)
}
