package main

import "errors"

// become cannot be done on Windows, where no process replaces another.
func become(string, []string, []string) error {
	return errors.New("handing over to another amplihack is not possible on Windows")
}
