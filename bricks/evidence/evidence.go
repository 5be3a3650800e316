// Package evidence measures what the last round of a loop produced, and what
// its texts say about the loop, so that a judge reasons over observations and
// not over a prose summary (seed 000, "Evidence the evaluator receives").
//
// The package starts no process and opens no file by itself: git and file
// systems are handed in with [World]. Everything here is safe for concurrent
// use with different arguments, and works in one pass over the texts, so that a
// history of many megabytes costs neither time nor copies.
package evidence

import (
	"io/fs"
	"strconv"
	"strings"

	"github.com/brickoven/brickoven/recipes/value"
)

// Tag marks every line that the loop-health bricks write. Tagged lines are
// dropped before anything is looked for, so that a report that is fed back into
// the history is no evidence (seed 000, "The brick does not poison itself").
const Tag = "[loop-health-evaluator]"

// SnapshotEmail is the committer address of the commits that brickoven makes
// of a whole work tree, untracked files included. A baseline with this
// committer makes untracked files count in diff_lines.
const SnapshotEmail = "snapshot@brickoven.invalid"

// Inputs are the variables of the collector, as text. An empty text is an
// input that was not given.
type Inputs struct {
	History    string // loop_history: the verdicts so far, oldest first
	LastOutput string // loop_last_round_output
	// RepoPath lists the repositories, a line each; empty means the working
	// directory.
	RepoPath string
	// BaselineRef is the git revision at the start of the round; one line for
	// every repository, or a line for each in the order of RepoPath.
	BaselineRef      string
	ChildExitCode    string
	FindingsCurrent  string // lines, or a JSON list
	FindingsPrevious string
	TestSignal       string
	TestPrevious     string
	CISignal         string
	CIPrevious       string
	WatchPaths       string // globs, a line each or a JSON list
	WatchManifest    string // the watch_manifest of an earlier round, as JSON
	Progress         string // a number, lines, or a JSON list
	ProgressPrevious string
}

// World is how the collector looks at the machine.
type World struct {
	// Git runs git with args in the folder dir, which is relative to the step's
	// working directory unless absolute, and returns its standard output. A
	// non-zero exit is an error whose text holds git's message.
	Git func(dir string, args ...string) (stdout string, err error)
	// Files opens the folder dir, with the same meaning of dir, as a file
	// system. It is used for loop_watch_paths and for untracked files.
	Files func(dir string) fs.FS
}

// Flag is a boolean that is written as the text "true" or "false", because a
// condition such as terminal_refusal == 'false' must not meet a bare bool.
type Flag bool

// MarshalJSON writes the flag as a JSON string.
func (f Flag) MarshalJSON() ([]byte, error) {
	return []byte(`"` + strconv.FormatBool(bool(f)) + `"`), nil
}

// Evidence is the loop_evidence object. Its keys are those of seed 000 and of
// docs/loop-health.md; counts are numbers and booleans are [Flag]s.
type Evidence struct {
	TerminalRefusal       Flag              `json:"terminal_refusal"`
	TerminalReason        string            `json:"terminal_reason"`
	CommitsSinceBaseline  int               `json:"commits_since_baseline"`
	DiffLines             int               `json:"diff_lines"`
	DiffStat              string            `json:"diff_stat"`
	FilesChanged          int               `json:"files_changed"`
	UntrackedFiles        int               `json:"untracked_files"`
	GitObserved           Flag              `json:"git_observed"`
	RepeatedDurationCount int               `json:"repeated_duration_count"`
	RepeatedDurationValue string            `json:"repeated_duration_value"`
	RepeatedOutput        Flag              `json:"repeated_output"`
	RepeatedSimilarity    float64           `json:"repeated_similarity"`
	FindingsNew           int               `json:"findings_new"`
	FindingsRecurring     int               `json:"findings_recurring"`
	FindingsResolved      int               `json:"findings_resolved"`
	TestsObserved         Flag              `json:"tests_observed"`
	TestsMoved            Flag              `json:"tests_moved"`
	CIObserved            Flag              `json:"ci_observed"`
	CIMoved               Flag              `json:"ci_moved"`
	PathsObserved         Flag              `json:"paths_observed"`
	PathsChanged          int               `json:"paths_changed"`
	PathsStat             string            `json:"paths_stat"`
	ProgressObserved      Flag              `json:"progress_observed"`
	ProgressMoved         Flag              `json:"progress_moved"`
	WaitingOnOutput       Flag              `json:"waiting_on_output"`
	InfrastructureFault   Flag              `json:"infrastructure_fault"`
	InfrastructureClass   string            `json:"infrastructure_fault_class"`
	MovedEarlier          Flag              `json:"moved_earlier"`
	Notices               []string          `json:"notices"`
	MeasuredBy            string            `json:"measured_by"`
	WatchManifest         map[string]string `json:"watch_manifest"`
}

// JSON is the evidence as one line of JSON.
func (e Evidence) JSON() string { return value.JSON(e) }

// Collect measures. It never fails: what could not be observed is reported as
// unobserved, with a notice that says why.
func Collect(in Inputs, world World) Evidence {
	e := Evidence{MeasuredBy: Tag, Notices: []string{}, WatchManifest: map[string]string{}}

	heard := listen(in.History, in.LastOutput)
	e.TerminalReason = heard.terminalReason(in.ChildExitCode)
	e.TerminalRefusal = e.TerminalReason != ""
	e.RepeatedDurationValue, e.RepeatedDurationCount = heard.durations.most()
	e.WaitingOnOutput = Flag(heard.waiting)
	e.InfrastructureClass = endingFault(in.History, in.LastOutput)
	e.InfrastructureFault = e.InfrastructureClass != ""
	e.MovedEarlier = Flag(movedEarlier(in.History))

	repeated, similarity := repeats(in.History, in.LastOutput)
	e.RepeatedOutput, e.RepeatedSimilarity = Flag(repeated), similarity

	e.FindingsNew, e.FindingsRecurring, e.FindingsResolved = compareSets(
		setOf(in.FindingsCurrent), setOf(in.FindingsPrevious))
	e.TestsObserved, e.TestsMoved = compareSignals(in.TestSignal, in.TestPrevious)
	e.CIObserved, e.CIMoved = compareSignals(in.CISignal, in.CIPrevious)
	e.ProgressObserved, e.ProgressMoved = compareProgress(in.Progress, in.ProgressPrevious)

	e.measureRepositories(in, world)
	e.measurePaths(in, world)
	return e
}

func (e *Evidence) notice(text string) { e.Notices = append(e.Notices, text) }

// movedEarlier looks for a CONTINUE among the verdicts of earlier rounds: a
// round that was allowed to go on had moved something.
func movedEarlier(history string) bool {
	for _, mark := range []string{`"loop_verdict":"CONTINUE"`, `"loop_verdict": "CONTINUE"`, "LOOP_HEALTH: CONTINUE"} {
		if strings.Contains(history, mark) {
			return true
		}
	}
	return false
}
