package verdict_test

import (
	"testing"

	"github.com/brickoven/brickoven/bricks/verdict"
)

func TestNormaliseLoopKnowsTheSeedsTableAndNoOther(t *testing.T) {
	t.Parallel()
	for want, tokens := range map[string][]string{
		verdict.Continue: {"CONTINUE", "CONTINUING", "PROCEED", "KEEP_GOING", "ANOTHER_ROUND", "ITERATE", "continue", " Continue\r\n"},
		verdict.Done:     {"DONE", "COMPLETE", "COMPLETED", "FINISHED", "CONVERGED", "ADVANCE", "converged", "\tdone"},
		verdict.Stuck: {
			"STUCK", "STOP", "BLOCKED", "NO_PROGRESS", "ESCALATE", "LOOPING", "NOT_CONVERGING",
			"", " ", "DISCONTINUE", "CANNOT_CONTINUE", "DO_NOT_CONTINUE", "SHOULD_NOT_CONTINUE", "NOT_DONE", "CONTINUE?", "CONTINUE STUCK",
			"CONVERGING", "PROGRESSING", "KEEP GOING", "KEEP-GOING", "YES", "OK", "CONTINUE.", "CONTINUED", "ALMOST_DONE", "UNCONVERGED", "contınue", "ſtuck", "DONE\x00",
		},
	} {
		for _, token := range tokens {
			if got := verdict.NormaliseLoop(token); got != want {
				t.Errorf("%q gives %s, want %s", token, got, want)
			}
		}
	}
}

func TestNormaliseFailsInTheOppositeDirection(t *testing.T) {
	t.Parallel()
	for want, tokens := range map[string][]string{
		verdict.WorkVerified:         {"WORK_VERIFIED", "verified", "SUCCESS", "APPROVED", "PASS", " passed\n"},
		verdict.HollowSuccess:        {"HOLLOW_SUCCESS", "HOLLOW", "FAILED", "FAIL", "NO_WORK", "NO_ARTIFACTS", "EMPTY"},
		verdict.InsufficientEvidence: {"", "UNVERIFIED", "NOT_APPROVED", "NOT_ACHIEVED", "PARTIAL", "UNKNOWN", "PASS?", "STUCK", "CONTINUE", "garbage"},
	} {
		for _, token := range tokens {
			if got := verdict.Normalise(token); got != want {
				t.Errorf("%q gives %s, want %s", token, got, want)
			}
		}
	}
}
