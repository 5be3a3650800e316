package ledger

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"

	"github.com/brickoven/brickoven/recipes/value"
)

// Contract is what a loop declares before its first iteration (seed 002, The
// contract). A prose field is a text, a number or a list of those, never blank.
type Contract struct {
	Purpose          any         `json:"purpose"`
	Owner            any         `json:"owner"`
	StartingState    any         `json:"starting_state"`
	Inputs           any         `json:"inputs"`
	ExpectedOutputs  any         `json:"expected_outputs"`
	SuccessCriteria  any         `json:"success_criteria"`
	FailureCriteria  any         `json:"failure_criteria"`
	Dependencies     []string    `json:"dependencies"`
	IterationLimit   int         `json:"iteration_limit"`
	TimeoutBehaviour any         `json:"timeout_behaviour"`
	EscalationPath   any         `json:"escalation_path"`
	Rubric           []Dimension `json:"quality_rubric"`
}

// Dimension is one weighted dimension of the quality rubric. Numbers keep the
// text they were written with.
type Dimension struct {
	Name            string       `json:"dimension"`
	EvidenceCommand string       `json:"evidence_command"`
	Baseline        value.Number `json:"baseline"`
	Target          value.Number `json:"target"`
	Weight          value.Number `json:"weight"`
	// FailureThreshold is the last value that is still safe.
	FailureThreshold value.Number `json:"failure_threshold"`
	Direction        string       `json:"direction"`
	HardGate         bool         `json:"hard_gate"`
	// MustNotRegress is nil when the contract does not say it, which means no.
	MustNotRegress *bool `json:"must_not_regress,omitempty"`
}

// The directions of a dimension.
const (
	HigherIsBetter = "higher-is-better"
	LowerIsBetter  = "lower-is-better"
)

// Holds tells whether the dimension has only to stay where it is.
func (d Dimension) Holds() bool { return d.MustNotRegress != nil && *d.MustNotRegress }

// DependsOn tells whether the contract declares the dependency by exactly this
// name.
func (c Contract) DependsOn(name string) bool { return slices.Contains(c.Dependencies, name) }

// Format is the notation of a contract file.
type Format int

// The notations of a contract file.
const (
	JSON Format = iota
	YAML
)

// FormatOf decides the notation by the file's extension, and by the first
// character where the extension says nothing.
func FormatOf(path string, data []byte) Format {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".json":
		return JSON
	case ".yaml", ".yml":
		return YAML
	}
	if bytes.HasPrefix(bytes.TrimLeft(data, " \t\r\n"), []byte("{")) {
		return JSON
	}
	return YAML
}

// ReadContract reads and checks a contract. All faults are reported at once, as
// a [*Refusal] with code [Malformed] and a place for each. places resolves the
// programs of the evidence commands; nil checks their syntax only.
func ReadContract(data []byte, format Format, places Places) (Contract, error) {
	read := readJSON
	if format == YAML {
		read = readYAML
	}
	root, err := read(bytes.TrimPrefix(data, []byte("\ufeff")))
	if err != nil {
		return Contract{}, err
	}
	check := contractCheck{places: places, commands: true}
	contract := check.contract(root, "")
	return contract, check.found.refusal(Malformed)
}

// ContractOf checks a contract that is already a value, as a loop step has it.
func ContractOf(v any, places Places) (Contract, error) {
	return ReadContract([]byte(value.JSON(v)), JSON, places)
}
