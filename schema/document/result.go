package document

// Result is what run prints with --output-format json: exactly one document on
// standard output, on every path. Where the run could not start it has success,
// error and exit_code alone.
type Result struct {
	// The name of the recipe.
	RecipeName string `json:"recipe_name,omitempty"`
	// Whether the run did what it was asked for.
	Success bool `json:"success"`
	// The steps of the recipe in the order of the file; no entry for steps that
	// were never reached.
	StepResults []StepResult `json:"step_results,omitempty"`
	// The variables at the end.
	Context map[string]any `json:"context,omitempty"`
	// How long the run took, in seconds.
	Duration float64 `json:"duration,omitempty"`
	// The id of the run.
	RunID string `json:"run_id,omitempty"`
	// How the run ended: success, degraded, failed, interrupted or refused.
	Status string `json:"status,omitempty"`
	// Why the run ended as it did; empty after a success.
	Reason string `json:"reason,omitempty"`
	// The step whose failure ended the run.
	FailedStep string `json:"failed_step,omitempty"`
	// The exit code of the program.
	ExitCode int `json:"exit_code"`
	// The steps of finally.
	Finally []StepResult `json:"finally,omitempty"`
	// The stubs whose step was not reached.
	UnusedStubs []string `json:"unused_stubs,omitempty"`
	// What the agents of all steps used, as far as they told; null where none was
	// called.
	Usage map[string]any `json:"usage,omitempty"`
	// Why the run could not start.
	Error string `json:"error,omitempty"`
}

// StepResult is how one step ended.
type StepResult struct {
	// The id of the step.
	StepID string `json:"step_id"`
	// How the step ended.
	Status string `json:"status" jsonschema:"enum=completed,enum=skipped,enum=failed,enum=degraded"`
	// What the step printed; compact JSON where it was parsed.
	Output string `json:"output"`
	// What went wrong; empty where nothing did.
	Error string `json:"error"`
	// How long the step took, in seconds.
	Duration float64 `json:"duration"`
	// The ids from the root recipe down to the step, with slashes.
	Path string `json:"path"`
	// The exit code of the step's process.
	ExitCode int `json:"exit_code"`
	// The signal that ended the process.
	Signal string `json:"signal,omitempty"`
	// The kind of failure, where it was not the process's own.
	Cause string `json:"cause,omitempty"`
	// Whether a failure was let pass.
	Tolerated bool `json:"tolerated,omitempty"`
	// Whether the output was too long to keep whole.
	Truncated bool `json:"truncated,omitempty"`
	// How many attempts were made.
	Attempts int `json:"attempts,omitempty"`
	// What came back from a called recipe.
	Outputs map[string]any `json:"outputs,omitempty"`
	// How a loop ended: its verdicts, reasons, rounds and session.
	Loop map[string]any `json:"loop,omitempty"`
	// The elements of foreach that failed.
	Failed []any `json:"failed,omitempty"`
	// What an agent call used.
	Usage map[string]any `json:"usage,omitempty"`
	// How the agent call ended: agent, status, fault, resets_at, retry_after in
	// seconds, conversation, and the denied tools.
	Agent map[string]any `json:"agent,omitempty"`
	// The steps of a called recipe.
	Steps []StepResult `json:"steps,omitempty"`
}
