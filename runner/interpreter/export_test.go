package interpreter

import "github.com/brickoven/brickoven/runner/process"

// ProgramWithin is [Program] for a script that may take that much memory, so
// that a test need not fill the machine's.
func ProgramWithin(script string, memory uint64) process.Program {
	return program(script, nil, memory)
}
