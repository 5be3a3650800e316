package step

// ToolUse is one tool call of an agent, reduced to what tells it from others.
// The hashes are opaque and only compared; nothing of arguments and results can
// be read from them.
type ToolUse struct {
	Name   string `json:"name"`
	Args   string `json:"args,omitempty"` // a hash; empty for none
	Failed bool   `json:"failed,omitempty"`
	// Output is a hash of what came back and OutputSize its length in bytes; empty
	// and 0 for nothing.
	Output     string `json:"output,omitempty"`
	OutputSize int64  `json:"output_size,omitempty"`
	// Error is the signature of a failure.
	Error string `json:"error,omitempty"`
}
