package main

import (
	"testing"

	"github.com/brickoven/brickoven/runner/agent"
	"github.com/brickoven/brickoven/runner/mask"
)

// A digest tells tool calls apart, and nothing of them can be read from it.
func TestToolCallsAreToldApartByTheirDigests(t *testing.T) {
	t.Parallel()
	base := agent.ToolUse{Name: "Bash", Args: `{"command":"ls"}`, Output: "a b"}
	same := digestTool(base)
	if same != digestTool(base) || same.Name != "Bash" || same.OutputSize != 3 || same.Error != "" {
		t.Fatalf("%+v", same)
	}
	for name, other := range map[string]agent.ToolUse{
		"name": {Name: "Read", Args: base.Args, Output: base.Output}, "arguments": {Name: "Bash", Output: base.Output},
		"output": {Name: "Bash", Args: base.Args, Output: "a"}, "failure": {Name: "Bash", Args: base.Args, Output: base.Output, Failed: true},
	} {
		if digestTool(other) == same {
			t.Errorf("another %s has the same digest", name)
		}
	}
	first := digestTool(agent.ToolUse{Name: "Bash", Failed: true, Output: "at 10:11:12: no such file"})
	again := digestTool(agent.ToolUse{Name: "Bash", Failed: true, Output: "at 11:12:13: no such file"})
	if first.Error == "" || first.Error != again.Error {
		t.Errorf("the same failure at another time: %+v and %+v", first, again)
	}
}

func TestDigestsAreMadeWithoutSecrets(t *testing.T) {
	t.Parallel()
	masker, _ := mask.New(map[string]string{"TOKEN": "s3cret-token-value"})
	set := &settings{masker: masker}
	one := set.digest(agent.ToolUse{Name: "Bash", Args: "curl s3cret-token-value", Output: "s3cret-token-value"})
	masked := set.digest(agent.ToolUse{Name: "Bash", Args: masker.Text("curl s3cret-token-value"), Output: masker.Text("s3cret-token-value")})
	if one != masked {
		t.Error("a secret can be found out from the digest")
	}
}
