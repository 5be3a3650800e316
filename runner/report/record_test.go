package report

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/brickoven/brickoven/recipes/value"
	"github.com/brickoven/brickoven/runner/journal"
	"github.com/brickoven/brickoven/runner/step"
)

// start is when every recorded run begins.
var start = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// recording writes a journal, a second for each record, and reads it back.
type recording struct {
	t   *testing.T
	dir string
	w   *journal.Writer
	at  time.Time
}

func record(t *testing.T) *recording {
	t.Helper()
	r := &recording{t: t, dir: t.TempDir(), at: start}
	var err error
	r.w, err = journal.Create(r.dir, journal.Options{Now: func() time.Time { return r.at }})
	if err != nil {
		t.Fatal(err)
	}
	r.append(journal.KindRunStarted, journal.RunStarted{RunID: "run-1", Recipe: "r", Start: start, Dir: "/project"})
	return r
}

func (r *recording) append(kind journal.Kind, payload any) {
	r.t.Helper()
	r.at = r.at.Add(time.Second)
	if err := r.w.Append(kind, payload); err != nil {
		r.t.Fatal(err)
	}
}

func (r *recording) note(n step.Note) {
	r.t.Helper()
	n.At = r.at.Add(time.Second)
	r.append(journal.KindNote, n)
}

// begin is the start of a step, and finish its end.
func (r *recording) begin(path, kind string) {
	r.note(step.Note{Kind: step.StepStarted, Path: path, Type: kind})
}

func (r *recording) finish(path string, o step.Outcome) {
	o.Path = path
	if o.Status == "" {
		o.Status = step.Completed
	}
	r.note(step.Note{Kind: step.StepFinished, Path: path, Outcome: &o})
}

// action is one piece of work with its result; result nil leaves it without.
func (r *recording) action(id string, kind step.Kind, path string, result *step.Result) {
	r.t.Helper()
	r.append(journal.KindActionStarted, journal.ActionStarted{ID: id, Kind: string(kind), Path: path, Attempt: 1})
	if result == nil {
		return
	}
	r.at = r.at.Add(time.Second)
	if err := r.w.Event(step.Event{Kind: step.Done, ID: id, Result: result, At: r.at}); err != nil {
		r.t.Fatal(err)
	}
}

// work is a step from its start to its end.
func (r *recording) work(path string, result step.Result, o step.Outcome) {
	r.begin(path, "bash")
	r.action(path+"#shell.1", step.Shell, path, &result)
	r.finish(path, o)
}

func (r *recording) end(status string, code int) {
	r.append(journal.KindRunFinished, journal.RunFinished{Status: status, ExitCode: code})
}

// report reads the journal back.
func (r *recording) report(state State, src Sources) *Run {
	r.t.Helper()
	reader, err := journal.Read(r.dir)
	if err != nil {
		r.t.Fatal(err)
	}
	defer reader.Close()
	c := NewCollector(nil)
	for rec, err := range reader.Records() {
		if err == nil {
			err = c.Add(rec)
		}
		if err != nil {
			r.t.Fatal(err)
		}
	}
	return c.Run(state, src)
}

// parsed is a value as a step gives it.
func parsed(t *testing.T, text string) any {
	t.Helper()
	v, err := value.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// said is the result of a step that printed a text.
func said(text string) step.Result { return step.Result{OK: true, Text: text, Value: text} }

// gave is the result of a step that gave JSON.
func gave(t *testing.T, text string) step.Result {
	return step.Result{OK: true, Text: text, Value: parsed(t, text)}
}

// round is one round of a loop: work, a judge that measures and says a word.
func (r *recording) round(loop string, n int, evidence, health, word string) {
	r.t.Helper()
	number := json.Number(value.Text(value.From(n))).String()
	r.note(step.Note{Kind: step.LoopRound, Path: loop, Text: number})
	r.work(loop+"["+number+"]/work", said("worked"), step.Outcome{})
	judge := loop + ".judge[" + number + "]"
	r.work(judge+"/look", gave(r.t, evidence), step.Outcome{})
	r.work(judge+"/say", gave(r.t, health), step.Outcome{})
	r.note(step.Note{Kind: step.Verdict, Path: loop, Name: word, Text: "because"})
}
