package session

import (
	"encoding/json"

	"github.com/brickoven/brickoven/recipes/value"
)

// FailureKind says how running an iteration failed; empty on success.
type FailureKind string

// The kinds of failure.
const (
	Transient     FailureKind = "transient"
	Deterministic FailureKind = "deterministic"
	Crash         FailureKind = "crash"
	Unknown       FailureKind = "unknown"
)

// Usage is what an iteration used, its judge and check included. A nil or empty
// field is unknown, which is not zero.
type Usage struct {
	PromptTokens     *int64 `json:"prompt_tokens"`
	CompletionTokens *int64 `json:"completion_tokens"`
	Turns            *int64 `json:"turns"`
	// TurnsWithoutUsage counts the agent calls that reported nothing.
	TurnsWithoutUsage int `json:"turns_without_usage"`
	// CostUSD is a decimal in US dollars as it was reported; empty is unknown.
	CostUSD value.Number `json:"cost_usd"`
}

// Result is result.json of one iteration: the keys of seed 001 and ours beside
// them. Success means that the iteration ran to its end, whatever its steps'
// codes; it says nothing about the work (seed 001, 'Success means "the
// assignment ran"').
type Result struct {
	Success bool
	// Text is the iteration's last output.
	Text string
	// Error and FailureKind are empty on success.
	Error       string
	FailureKind FailureKind
	// HarnessRunID is the id of the run, HarnessOutputDir its folder; empty
	// where there is none.
	HarnessRunID     string
	HarnessOutputDir string
	// ExitCode is the code of the iteration's last step, kept as evidence; nil
	// when no step gave one.
	ExitCode *int64
	Usage    Usage
	// DurationS is the wall-clock time in seconds; empty is unknown.
	DurationS value.Number
	// AttemptID names the attempt that wrote the result.
	AttemptID string
}

// ResultFile is the name of the file in the iteration's folder.
const ResultFile = "result.json"

type resultWire struct {
	Success          bool          `json:"success"`
	Text             string        `json:"text"`
	Error            *string       `json:"error"`
	HarnessRunID     *string       `json:"harness_run_id"`
	HarnessOutputDir *string       `json:"harness_output_dir"`
	FailureKind      *string       `json:"failure_kind"`
	ExitCode         *int64        `json:"exit_code"`
	Usage            Usage         `json:"usage"`
	DurationS        *value.Number `json:"duration_s"`
	AttemptID        *string       `json:"attempt_id"`
	SchemaVersion    int           `json:"schema_version"`
}

// Encode prints the file; what is unknown or does not apply is null.
func (r Result) Encode() ([]byte, error) {
	return encode(ResultFile, resultWire{
		Success: r.Success, Text: r.Text, Error: orNull(r.Error), HarnessRunID: orNull(r.HarnessRunID),
		HarnessOutputDir: orNull(r.HarnessOutputDir), FailureKind: orNull(string(r.FailureKind)), ExitCode: r.ExitCode,
		Usage: r.Usage, DurationS: orNull(r.DurationS), AttemptID: orNull(r.AttemptID), SchemaVersion: SchemaVersion,
	})
}

// ParseResult reads result.json strictly; the error is an [*Invalid].
func ParseResult(data []byte) (Result, error) {
	o := openDocument(ResultFile, data)
	r := Result{
		Success: o.truth("success"), Text: o.textOr("text"), Error: o.textOr("error"),
		HarnessRunID: o.textOr("harness_run_id"), HarnessOutputDir: o.textOr("harness_output_dir"),
		FailureKind: oneOf(o, "failure_kind", false, Transient, Deterministic, Crash, Unknown),
		ExitCode:    o.integer("exit_code"), Usage: parseUsage(o.object("usage", false)), DurationS: o.number("duration_s"),
		AttemptID: o.textOr("attempt_id"),
	}
	o.version(false)
	o.done()
	switch {
	case r.Success && r.FailureKind != "":
		o.fail("failure_kind", "must be null while success is true")
	case !r.Success && r.FailureKind == "" && o.fields["failure_kind"] == nil:
		o.fail("failure_kind", "is missing, but success is false")
	}
	if err := o.invalid.err(); err != nil {
		return Result{}, err
	}
	return r, nil
}

type usageWire struct {
	PromptTokens      *int64        `json:"prompt_tokens"`
	CompletionTokens  *int64        `json:"completion_tokens"`
	Turns             *int64        `json:"turns"`
	TurnsWithoutUsage int           `json:"turns_without_usage"`
	CostUSD           *value.Number `json:"cost_usd"`
}

// MarshalJSON prints null for what is unknown.
func (u Usage) MarshalJSON() ([]byte, error) {
	return json.Marshal(usageWire{u.PromptTokens, u.CompletionTokens, u.Turns, u.TurnsWithoutUsage, orNull(u.CostUSD)})
}

func parseUsage(o *object) Usage {
	if o == nil {
		return Usage{}
	}
	defer o.done()
	return Usage{
		PromptTokens: o.tally("prompt_tokens"), CompletionTokens: o.tally("completion_tokens"), Turns: o.tally("turns"),
		TurnsWithoutUsage: o.count("turns_without_usage", false), CostUSD: o.number("cost_usd"),
	}
}

// orNull is null in JSON for an empty text.
func orNull[T ~string](text T) *T {
	if text == "" {
		return nil
	}
	return &text
}
