package runner

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/brickoven/brickoven/recipes"
	"github.com/brickoven/brickoven/recipes/value"
	"github.com/brickoven/brickoven/runner/step"
)

// retried runs the work of a step until it succeeds or its attempts are used
// up. A refusal by a structural guard and a judged STUCK are final answers and
// never tried again.
func (fr *frame) retried(f *flow, st *recipes.Step, view *step.View, path string) report {
	attempts, delay := 1, time.Duration(0)
	if st.Retry != nil {
		attempts, delay = max(1, st.Retry.Attempts), st.Retry.Delay
	}
	for attempt := 1; ; attempt++ {
		rep := fr.attempt(f, st, view, path, attempt)
		rep.outcome.Attempts = attempt
		if rep.outcome.Status != step.Failed || attempt >= attempts || !retryable(st.Retry, rep.outcome) {
			if recoverable(st, rep.outcome) {
				fr.recover(f, st, view, path, &rep)
			}
			return rep
		}
		fr.run.warn(path, "attempt failed and will be repeated: "+rep.outcome.Error)
		if wait := f.do(&step.Action{Kind: step.Sleep, Path: path, Def: st, Recipe: fr.recipe, Vars: view, Delay: delay}); !wait.OK {
			return rep
		}
		delay = next(st.Retry, delay)
	}
}

func retryable(retry *recipes.Retry, o *step.Outcome) bool {
	if o.Refused() || o.Cause == step.CauseCancelled || o.Cause == step.CauseInterrupted || o.Cause == step.CauseLoop || judgedStuck(o) {
		return false
	}
	return len(retry.OnExit) == 0 || slices.Contains(retry.OnExit, o.ExitCode)
}

// judgedStuck knows the contract of every judge: loop_health.loop_verdict.
func judgedStuck(o *step.Outcome) bool {
	health, ok := o.Outputs["loop_health"].(map[string]any)
	return ok && health["loop_verdict"] == "STUCK"
}

func next(retry *recipes.Retry, delay time.Duration) time.Duration {
	if retry.Backoff > 0 {
		delay = time.Duration(float64(delay) * retry.Backoff)
	}
	if retry.MaxDelay > 0 {
		delay = min(delay, retry.MaxDelay)
	}
	return delay
}

// attempt does the work of a step once.
func (fr *frame) attempt(f *flow, st *recipes.Step, view *step.View, path string, n int) report {
	if st.Type == recipes.Call {
		return fr.timed(f, st, path, func(f *flow) report { return fr.call(f, st, view, path) })
	}
	if st.Type == recipes.Loop {
		return fr.timed(f, st, path, func(f *flow) report { return fr.loop(f, st, view, path) })
	}
	act := &step.Action{
		Path: path, Def: st, Recipe: fr.recipe, Vars: view, Attempt: n, Env: fr.loops.env, Loops: fr.loops.sessions,
		Stale: fr.loops.stale,
	}
	if st.Type == recipes.Agent {
		act.Tools = fr.run.watchesTools(f)
		return fr.agent(f, st, act)
	}
	if !fr.run.work.enter(f) {
		return failed(cancelled())
	}
	defer fr.run.work.leave()
	act.Kind = step.Shell
	if st.Type == recipes.Native {
		act.Kind = step.Native
	}
	return fr.leaf(st, f.do(act))
}

// timed bounds work that is made of many actions by the step's timeout, in which
// waits for used-up limits do not count. The executor bounds single actions
// itself.
func (fr *frame) timed(f *flow, st *recipes.Step, path string, work func(*flow) report) (rep report) {
	if st.Timeout <= 0 {
		return work(f)
	}
	inside, beside := &halt{parent: f.halt}, &halt{parent: f.halt}
	body := fr.run.spawn(inside, func(f *flow) { rep = work(f) })
	expired := false
	clock := fr.run.spawn(beside, func(f *flow) {
		for left := st.Timeout; left > 0; {
			before := inside.paused(fr.run.now)
			if res := f.do(&step.Action{Kind: step.Sleep, Path: path, Def: st, Recipe: fr.recipe, Delay: left}); !res.OK {
				return
			}
			left = inside.paused(fr.run.now) - before
		}
		expired = true
		fr.run.stopAll(inside)
	})
	f.join(body)
	fr.run.stopAll(beside)
	f.join(clock)
	if o := rep.outcome; expired && o.Status == step.Failed && !o.Refused() {
		o.Cause, o.ExitCode = step.CauseTimeout, step.ExitTimeout
		o.Error = fmt.Sprintf("timed out after %s: %s", st.Timeout, o.Error)
	}
	return rep
}

// leaf turns the result of an action into the end of its step.
func (fr *frame) leaf(st *recipes.Step, res step.Result) report {
	for _, text := range res.Warnings {
		fr.run.warn(fr.pathOf(st.ID), text)
	}
	if res.OK && res.Cause == step.CauseInterrupted {
		return report{outcome: &step.Outcome{Status: step.Skipped, Cause: res.Cause}}
	}
	if res.Cause == step.CauseJSON && !st.ParseJSONRequired {
		res.OK = true
		rep := completed(st, res)
		rep.outcome.Status, rep.outcome.Error = step.Degraded, res.Error
		return rep
	}
	if !res.OK {
		return fr.broken(st, res)
	}
	return completed(st, res)
}

// broken is a failed step in the words that existing callers look for.
func (fr *frame) broken(st *recipes.Step, res step.Result) report {
	if res.Refused() && !strings.Contains(res.Error, "BLOCKED_TERMINAL") {
		res.Error = "BLOCKED_TERMINAL: " + res.Error
	}
	if res.Cause == step.CauseJSON && !strings.Contains(res.Error, "parse_json failed") {
		res.Error = "parse_json failed: " + res.Error
	}
	res.Error = string(st.Type) + " step failed: " + res.Error
	return failed(res)
}

func completed(st *recipes.Step, res step.Result) report {
	rep := report{outcome: &step.Outcome{
		Status: step.Completed, Output: res.Text, Value: res.Value, ExitCode: res.ExitCode,
		Truncated: res.Truncated, Usage: res.Usage, Agent: res.Agent,
	}}
	if st.Output != "" {
		rep.sets = []assignment{{st.Output, res.Value}}
	}
	return rep
}

// second chooses between an answer without its JSON and the answer to the
// question for it. Where the agent could not be asked again the first answer
// stands; a refusal and an interruption stand in any case.
func second(first, again step.Result) step.Result {
	again.Usage = sum(first.Usage, again.Usage)
	if again.OK || again.Refused() || again.Cause == step.CauseCancelled {
		return again
	}
	first.Usage = again.Usage
	return first
}

// agent makes the call of an agent step. An answer without the JSON that the
// step wants gets one more question: in the same conversation where the agent
// can, else it includes that answer.
func (fr *frame) agent(f *flow, st *recipes.Step, act *step.Action) report {
	act.Kind = step.Agent
	name := fr.conversation(st, act.Path)
	act.Resume = fr.run.known(name)
	res := fr.consult(f, act)
	fr.run.converse(name, res.Agent)
	if res.Cause == step.CauseJSON {
		fr.run.warn(act.Path, res.Error+"; asking once more")
		given, err := fr.about(f, st, res.Text, whole{})
		if err != nil {
			return failed(step.Result{ExitCode: -1, Cause: step.CauseState, Error: err.Error()})
		}
		again := *act
		again.Answer, again.Attempt = value.Text(given), act.Attempt+1
		if a := res.Agent; a != nil && a.Conversation != "" {
			again.Resume = map[string]step.Conversation{a.Agent: {ID: a.Conversation, Used: a.Total}}
		}
		res = second(res, fr.consult(f, &again))
		fr.run.converse(name, res.Agent)
	}
	rep := fr.leaf(st, res)
	if st.AutoStage && !fr.stubbed(act.Path) && rep.outcome.Status != step.Failed {
		staged := f.do(&step.Action{Kind: step.Stage, Path: act.Path, Def: st, Recipe: fr.recipe, Vars: act.Vars})
		if !staged.OK {
			fr.run.warn(act.Path, "auto_stage: "+staged.Error)
		}
	}
	return rep
}
