package main

import (
	"crypto/sha256"
	"encoding/hex"

	"github.com/brickoven/brickoven/bricks/doomloop"
	"github.com/brickoven/brickoven/runner/agent"
	"github.com/brickoven/brickoven/runner/step"
)

// digestTool reduces a tool call to what tells it from others.
func digestTool(use agent.ToolUse) step.ToolUse {
	s := doomloop.Step{Path: use.Name, Failed: use.Failed, Output: use.Output, Error: use.Output}
	e := s.Event(func(string) bool { return false })
	digest := step.ToolUse{
		Name: use.Name, Failed: use.Failed, Output: e.Output, OutputSize: e.OutputSize, Error: e.Error,
	}
	if use.Args != "" {
		sum := sha256.Sum256([]byte(use.Args))
		digest.Args = hex.EncodeToString(sum[:8])
	}
	return digest
}

// digest is digestTool without secrets, from whose hashes they could be guessed.
func (set *settings) digest(use agent.ToolUse) step.ToolUse {
	use.Args, use.Output = set.masker.Text(use.Args), set.masker.Text(use.Output)
	return digestTool(use)
}
