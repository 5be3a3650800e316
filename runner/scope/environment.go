package scope

import (
	"errors"
	"fmt"

	"github.com/brickoven/brickoven/recipes/value"
)

// Limits of an environment, in bytes (DESIGN section 6, "Size").
const (
	// DefaultMaxValue is the size over which a value spills into a file.
	DefaultMaxValue = 32 << 10
	// DefaultMaxTotal is the size of all entries made from variables.
	DefaultMaxTotal = 256 << 10
	// MaxNamed is the size up to which a value that the command names stays
	// exported. The kernel's own limit for one entry is 128 KiB.
	MaxNamed = 120 << 10
	// SmallScalar is the size under which a scalar never spills.
	SmallScalar = 256
	// maxFileNames is what the names of files may take together that variables got
	// for want of room.
	maxFileNames = 32 << 10
	// maxNamedTotal bounds what named values may take together; the kernel's
	// limit for everything is about 2 MiB.
	maxNamedTotal = 1 << 20
)

// Shell is the language of the program that runs the command.
type Shell int

const (
	// Bash loads large variables with read.
	Bash Shell = iota
	// POSIX loads them with a command substitution.
	POSIX
	// Other is not a shell and gets no prelude.
	Other
	// InProcess takes large variables as they are, see [Block.Loaded].
	InProcess
)

// Request says what an environment is for.
type Request struct {
	// Base are the entries to start from, NAME=value, already through
	// [FilterBase] and with what the step's env: adds. Variables of the recipe
	// win over them.
	Base []string
	// Extra are variables that the command's placeholders refer to, by
	// environment name (Bound.Vars). They win over the scope's.
	Extra map[string]string
	// Mentions are the environment names that the command's text reads.
	Mentions []string
	// MaxValue and MaxTotal are bytes; zero is the default.
	MaxValue, MaxTotal int
	// Spills stores what does not fit. Nil fails instead with a [*SpillError].
	Spills *Spills
	Shell  Shell
	// Load reads the text of a reference. It may be nil where none occurs.
	Load func(value.Ref) (string, error)
}

// Block is the environment of one step.
type Block struct {
	// Env is the whole environment, each name once.
	Env []string
	// Prelude is put in front of the command, on its first line. It is empty or
	// ends in "; ".
	Prelude string
	// Loaded are the variables that a prelude would load, by environment name,
	// for a shell within this process. Nil where there are none.
	Loaded map[string]string
	// Spilled lists the variables that this environment names files for, oldest
	// first, as x or x.key.
	Spilled []string
	// Warnings are for the author: names that lost, bytes that were replaced.
	// Each is given once for each setting of a variable.
	Warnings []string

	release func() error
}

// Cleanup lets go of the spill files when the step has ended. A second call
// does nothing.
func (b *Block) Cleanup() error {
	if b == nil || b.release == nil {
		return nil
	}
	release := b.release
	b.release = nil
	return release()
}

// CollisionError tells that two variables of the author want one name in the
// environment and have different values.
type CollisionError struct {
	Name      string    // in the environment
	Variables [2]string // in the recipe
}

func (e *CollisionError) Error() string {
	return fmt.Sprintf("variables %s and %s are both %s in the environment: rename one",
		e.Variables[0], e.Variables[1], e.Name)
}

// SpillError tells that a variable is too large for the environment and could
// not be put into a file. It unwraps to the cause.
type SpillError struct {
	Variable string
	Size     int64
	Err      error
}

func (e *SpillError) Error() string {
	return fmt.Sprintf("variable %s (%d bytes) does not fit into the environment: %v", e.Variable, e.Size, e.Err)
}

// Unwrap gives the cause.
func (e *SpillError) Unwrap() error { return e.Err }

// ErrNoSpills is the cause of a [SpillError] where no place for files was given.
var ErrNoSpills = errors.New("no folder for spilled variables")

// Environment builds the environment of a step.
//
// A value over MaxValue, or whatever exceeds MaxTotal, spills into a file that
// RECIPE_VAR_<name>_FILE names. Values up to [MaxNamed] that the command names
// stay exported, scalars under [SmallScalar] never spill, and of the rest the
// oldest go first. Nested keys that do not fit even so are left out, with a
// warning, as are the oldest of the files' names where these take more than
// maxFileNames. In a shell a spilled variable that the command names is not in
// the environment but loaded by the prelude, byte for byte, under both its
// names. A command that names RECIPE_VAR_<name>_FILE gets the file in every case.
//
// The error is a [*CollisionError], a [*SpillError], or one of Load.
func (s *Scope) Environment(req Request) (*Block, error) {
	if err := s.refresh(req.Load); err != nil {
		return nil, err
	}
	p := newPlan(s, req)
	if err := p.contests(); err != nil {
		return nil, err
	}
	p.collect()
	p.decide()
	return p.emit()
}
