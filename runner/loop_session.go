package runner

import (
	"fmt"
	"maps"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/brickoven/brickoven/bricks/session"
	"github.com/brickoven/brickoven/recipes"
	"github.com/brickoven/brickoven/recipes/value"
	"github.com/brickoven/brickoven/runner/step"
)

// SessionOpening is the load of [step.SessionOpen].
type SessionOpening struct {
	Goal   string
	Recipe string
	Step   string
	// Dir is where the loop works, absolute or from the run's folder; Paths are
	// the watched files.
	Dir   string
	Paths []string
	// Parent is the session of the loop around this one; empty without one.
	Parent string
	At     time.Time
}

// SessionRecord is the load of [step.SessionBegin] and [step.SessionFinish].
type SessionRecord struct {
	State  session.State
	Events []session.Event
	Prompt *string
	Result *session.Result
	// Control is what the judge writes; nil where it writes nothing.
	Control *session.Control
	// Rejected and Invalid say what becomes of the control file.
	Rejected bool
	Invalid  bool
}

// open makes the loop's session. The result says why there is none.
func (l *loop) open(f *flow) *step.Result {
	refuse := func(text string) *step.Result { return &step.Result{ExitCode: -1, Error: text} }
	for _, part := range l.st.Parts() {
		if part.Type == recipes.Call && part.Child == nil {
			return refuse(missing(part))
		}
	}
	if err := l.places(f); err != nil {
		return refuse(err.Error())
	}
	l.workflows = session.Single(workflowName(l.st.Loop.Rounds[0].Recipe), l.st.Loop.Rounds[0].Recipe)
	if l.st.Loop.Workflows != nil {
		set, err := session.DecodeWorkflows(l.st.Loop.Workflows)
		if err != nil {
			return refuse(err.Error())
		}
		l.workflows = set
	}
	opening := SessionOpening{
		Goal: l.goal, Recipe: l.fr.recipe.Name, Step: l.path, Dir: l.folder(f), Paths: l.paths, At: l.fr.run.now,
	}
	if around := l.fr.loops.sessions; len(around) > 0 {
		opening.Parent = around[len(around)-1]
	}
	res := l.session(f, step.SessionOpen, "", opening)
	if !res.OK {
		return &res
	}
	given, _ := res.Value.(map[string]any)
	id := value.Text(given["id"])
	l.dir, l.before.manifest = value.Text(given["dir"]), given["watch_manifest"]
	l.fr.loops.sessions = append(l.fr.loops.sessions[:len(l.fr.loops.sessions):len(l.fr.loops.sessions)], id)
	co, err := session.Start(id, session.GoalHash(l.goal), session.Config{Workflows: l.workflows}, l.fr.run.now)
	if err != nil {
		return refuse(err.Error())
	}
	l.co, l.fr.loops.co = co, co
	if err := l.brace(value.Text(given["work_dir"])); err != nil {
		return refuse(err.Error())
	}
	return l.openLedger(f)
}

// workflowName makes the id of the only workflow of a loop from the name or
// path of its recipe.
func workflowName(recipe string) string {
	name := strings.TrimSuffix(strings.TrimSuffix(path.Base(recipe), ".yaml"), ".yml")
	name = strings.Map(func(r rune) rune {
		if r == '.' || r == '_' || r == '-' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return r
		}
		return '-'
	}, name)
	name = strings.TrimLeft(name, "._-")
	if name == "" {
		return "round"
	}
	return name[:min(len(name), 64)]
}

// places renders what the loop is about, where it works, and what it watches.
func (l *loop) places(f *flow) error {
	l.goal = l.st.Description
	if l.st.Prompt != nil {
		v, err := l.fr.ask(f, l.st, l.view, rendering{field: "prompt", tmpl: l.st.Prompt, strict: l.fr.recipe.Strict, inline: true, known: l.view.Scope.Names})
		if err != nil {
			return err
		}
		l.goal = value.Text(v)
	}
	dir := l.folder(f)
	for _, tmpl := range l.st.Loop.Repos {
		v, err := l.fr.ask(f, l.st, l.view, rendering{field: "evidence.repos", tmpl: tmpl, strict: l.fr.recipe.Strict, inline: true, known: l.view.Scope.Names})
		if err != nil {
			return err
		}
		l.repos = append(l.repos, below(dir, value.Text(v)))
	}
	if len(l.repos) == 0 {
		l.repos = []string{below(dir, ".")}
	}
	for _, tmpl := range l.st.Loop.Paths {
		v, err := l.fr.ask(f, l.st, l.view, rendering{field: "evidence.paths", tmpl: tmpl, strict: l.fr.recipe.Strict, inline: true, known: l.view.Scope.Names})
		if err != nil {
			return err
		}
		l.paths = append(l.paths, below(dir, value.Text(v)))
	}
	return nil
}

// folder is where the loop works; empty for the run's folder, and where the
// template fails, which its commands say then.
func (l *loop) folder(f *flow) string {
	if l.st.WorkingDir == nil {
		return ""
	}
	v, err := l.fr.ask(f, l.st, l.view, rendering{field: "working_dir", tmpl: l.st.WorkingDir, inline: true, known: l.view.Scope.Names})
	if err != nil {
		return ""
	}
	return value.Text(v)
}

func below(dir, place string) string {
	if dir == "" || path.IsAbs(place) {
		return place
	}
	return path.Join(dir, place)
}

// session asks something of the loop's session.
func (l *loop) session(f *flow, op step.SessionOp, iteration string, load any) step.Result {
	call := &step.SessionCall{Op: op, Iteration: iteration, Load: load}
	if op != step.SessionOpen {
		call.ID = l.fr.loops.sessions[len(l.fr.loops.sessions)-1]
	}
	return f.do(&step.Action{Kind: step.Session, Path: l.path, Def: l.st, Recipe: l.fr.recipe, Vars: l.view, Session: call})
}

// write has the coordinator's state written, with what else the record holds.
func (l *loop) write(f *flow, op step.SessionOp, iteration string, record SessionRecord) *step.Result {
	record.State, record.Events = l.co.State(), l.co.TakeEvents()
	if res := l.session(f, op, iteration, record); !res.OK {
		return &res
	}
	return nil
}

func (l *loop) observe(f *flow, iteration string) (session.Observation, *step.Result) {
	res := l.session(f, step.SessionObserve, iteration, l.co.State().Requests)
	if !res.OK {
		return session.Observation{}, &res
	}
	seen, err := session.ObservationFrom(res.Value)
	if err != nil {
		return seen, &step.Result{ExitCode: -1, Cause: step.CauseState, Error: err.Error()}
	}
	return seen, nil
}

// environment is what the steps of a round find the session's files with.
func (l *loop) environment(iteration string) map[string]string {
	env := maps.Clone(l.fr.loops.env)
	if env == nil {
		env = map[string]string{}
	}
	env["BRICKOVEN_SESSION_DIR"] = l.dir
	env["BRICKOVEN_CONTROL_FILE"] = path.Join(l.dir, session.ControlFile)
	env["BRICKOVEN_ITERATION_DIR"] = path.Join(l.dir, session.IterationsDir, iteration)
	return env
}

// prompt is prompt.txt: what the round is told.
func (l *loop) prompt() string {
	var b strings.Builder
	fmt.Fprintf(&b, "Round %d of %s\n", l.round, l.st.ID)
	section := func(title, text string) {
		if text = strings.TrimSpace(text); text != "" {
			fmt.Fprintf(&b, "\n## %s\n\n%s\n", title, text)
		}
	}
	section("Goal", l.goal)
	for _, text := range l.updates {
		section("Update", value.Text(text))
	}
	section("The check is red", l.check)
	section("Taken back", l.braking.takenBack())
	if l.verdict != nil {
		section("Last verdict", value.JSON(l.verdict))
	}
	return b.String()
}

// result is result.json of a round.
func (l *loop) result(o *step.Outcome, begun time.Time) *session.Result {
	r := &session.Result{
		Text: l.output, Usage: usageOf(o.Usage), AttemptID: fmt.Sprintf("%s[%d]", l.path, l.round),
		DurationS: value.Number(strconv.FormatFloat(l.fr.run.now.Sub(begun).Seconds(), 'f', -1, 64)),
	}
	r.Success, r.FailureKind = ran(o)
	if !r.Success {
		r.Error = o.Error
		return r
	}
	code := int64(innermost(o).ExitCode)
	r.ExitCode = &code
	return r
}

// ran tells whether a round ran to its end, whatever the codes of its steps, and
// otherwise what kept it from it (seed 001, "Success means the assignment ran").
func ran(o *step.Outcome) (bool, session.FailureKind) {
	if o.Status != step.Failed {
		return true, ""
	}
	inner := innermost(o)
	switch inner.Cause {
	case "", step.CauseJSON, step.CauseLoop:
		if inner.ExitCode != -1 {
			return true, ""
		}
		return false, session.Deterministic
	case step.CauseStart, step.CauseHeld:
		return false, session.Deterministic
	case step.CauseTimeout, step.CauseIdle:
		return false, session.Transient
	case step.CauseState, step.CauseInterrupted:
		return false, session.Crash
	}
	return false, session.Unknown
}

func usageOf(u *step.Usage) session.Usage {
	if u == nil {
		return session.Usage{}
	}
	used := session.Usage{PromptTokens: u.InputTokens, CompletionTokens: u.OutputTokens, Turns: u.Turns}
	if u.CostUSD != nil {
		used.CostUSD = value.Number(strconv.FormatFloat(*u.CostUSD, 'f', -1, 64))
	}
	return used
}
