package brakes

import "github.com/brickoven/brickoven/bricks/brakes/failing"

// Lacks finds the brakes that miss what they watch. checked tells that the loop
// has a check.
func (c Config) Lacks(checked bool) []Finding {
	if checked || c.FailingCommand != "" {
		return nil
	}
	var found []Finding
	if c.Probe > 0 {
		found = append(found, Finding{"probe", "there is nothing to run: the loop has neither check: nor failing:"})
	}
	if c.Reference != "" {
		found = append(found, Finding{"reference", "there is nothing to verify it with: the loop has neither check: nor failing:"})
	}
	return found
}

// Watches tells that the brakes look at the work tree, which must be that of a
// git repository then.
func (c Config) Watches() bool {
	return c.FailingCommand != "" && c.OnRegression == Revert || len(c.Protect) > 0 || c.Probe > 0 || c.MaxUnread > 0 || c.Reference != ""
}

// Read parses the output of the failing command.
func (c Config) Read(out failing.Output) failing.Set { return failing.Parse(c.FailingFormat, out) }
