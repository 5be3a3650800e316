// Package process runs one child process in a group of its own. It is the only
// place of the project that starts a process.
package process
