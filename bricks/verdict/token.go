// Package verdict decides whether a loop goes on: it reads the judge's answer,
// resolves it to CONTINUE, DONE or STUCK, checks it against the evidence, and
// reports it. Everything that is missing, unknown or broken is STUCK (seed 000,
// "Fail-safe guarantees").
//
// The functions are pure and safe for concurrent use.
package verdict

import "strings"

// The three verdicts on a loop; there is no fourth.
const (
	Continue = "CONTINUE" // the last round moved something: another one may start
	Done     = "DONE"     // the objective is met
	Stuck    = "STUCK"    // nothing moves: stop and escalate
)

// The verdicts on work. The default is deliberately not fatal, the opposite of
// the loop's.
const (
	WorkVerified         = "WORK_VERIFIED"
	HollowSuccess        = "HOLLOW_SUCCESS"
	InsufficientEvidence = "INSUFFICIENT_EVIDENCE"
)

// NormaliseLoop maps a token to Continue, Done or Stuck by the table of seed
// 000. The token is trimmed and compared as a whole without regard to the case
// of ASCII letters; DISCONTINUE contains CONTINUE and is Stuck.
func NormaliseLoop(token string) string {
	switch upper(token) {
	case "CONTINUE", "CONTINUING", "PROCEED", "KEEP_GOING", "ANOTHER_ROUND", "ITERATE":
		return Continue
	case "DONE", "COMPLETE", "COMPLETED", "FINISHED", "CONVERGED", "ADVANCE":
		return Done
	}
	return Stuck
}

// Normalise maps a verdict on work to WorkVerified, HollowSuccess or
// InsufficientEvidence, with the same exact comparison as [NormaliseLoop]:
// UNVERIFIED and NOT_APPROVED are InsufficientEvidence.
func Normalise(token string) string {
	switch upper(token) {
	case "WORK_VERIFIED", "VERIFIED", "SUCCESS", "APPROVED", "PASS", "PASSED":
		return WorkVerified
	case "HOLLOW_SUCCESS", "HOLLOW", "FAILED", "FAIL", "NO_WORK", "NO_ARTIFACTS", "EMPTY":
		return HollowSuccess
	}
	return InsufficientEvidence
}

// upper trims and upper-cases ASCII only: Unicode would turn look-alikes, such
// as a dotless i, into the letters of a verdict.
func upper(token string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' {
			return r - ('a' - 'A')
		}
		return r
	}, strings.Trim(token, " \t\r\n\v\f"))
}
