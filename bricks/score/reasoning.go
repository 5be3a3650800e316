package score

import (
	"fmt"
	"strings"

	"github.com/brickoven/brickoven/bricks/doomloop"
)

// reasoning explains the verdict in one line. The first four sentences are the
// original's, so that existing readers find what they look for; ours follow.
func reasoning(loop Loop, r Result) string {
	parts := []string{fmt.Sprintf("Did not converge after %d iteration(s).", len(r.Scores))}
	if r.Converged {
		parts[0] = fmt.Sprintf("Converged in %d iteration(s).", r.IterationsToSuccess)
	}
	if r.WastedIterations > 0 {
		parts = append(parts, fmt.Sprintf("%d wasted iteration(s) after threshold.", r.WastedIterations))
	}
	if guardFired(r) {
		parts = append(parts, "Doom-loop guard fired.")
	}
	if r.GuardInterventions > 0 {
		parts = append(parts, fmt.Sprintf("%d guard intervention(s).", r.GuardInterventions))
	}
	for _, finding := range r.Findings {
		parts = append(parts, findingSentence(finding))
	}
	if r.SuccessDisagrees {
		parts = append(parts, disagreement(*loop.Success, r))
	}
	if r.Status == Nothing {
		parts = append(parts, "Nothing to examine: the history holds no scores.")
	}
	return strings.Join(parts, " ")
}

func guardFired(r Result) bool {
	for _, event := range r.GuardEvents {
		if event.DoomLoop {
			return true
		}
	}
	return false
}

func findingSentence(f doomloop.Finding) string {
	first := f.Last
	if len(f.Witnesses) > 0 {
		first = f.Witnesses[0]
	}
	where := fmt.Sprintf("steps %d to %d", first, f.Last)
	if n := len(f.Names); n > 0 && f.Names[0] != "" {
		where = fmt.Sprintf("%s to %s", f.Names[0], f.Names[n-1])
	}
	return fmt.Sprintf("Doom loop in the steps (%s, %s): %s.", f.Kind, where, f.Reason)
}

func disagreement(success bool, r Result) string {
	verdict := "failure"
	if success {
		verdict = "success"
	}
	if r.Mode == Review {
		return fmt.Sprintf("The loop calls itself a %s, which its last score %s contradicts (best: %s in iteration %d).",
			verdict, r.Scores[len(r.Scores)-1], r.Best.Score, r.Best.Iteration)
	}
	return fmt.Sprintf("The loop calls itself a %s, which its best score %s in iteration %d contradicts.",
		verdict, r.Best.Score, r.Best.Iteration)
}
