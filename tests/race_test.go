//go:build race

package tests

// raceEnabled makes the program under test watch for races when its tests do.
const raceEnabled = true
