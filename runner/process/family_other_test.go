//go:build unix && !linux

package process_test

func familyOfItsOwn() int { return 2 }
