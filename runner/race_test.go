//go:build race

package runner

// raceEnabled shortens the random tests, which the race detector slows down.
const raceEnabled = true
