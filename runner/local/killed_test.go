package local_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/brickoven/brickoven/runner"
	"github.com/brickoven/brickoven/runner/journal"
	"github.com/brickoven/brickoven/runner/local"
	"github.com/brickoven/brickoven/runner/step"
)

// mortal is a record whose owner dies after so many entries.
type mortal struct {
	local.Journal
	left int
}

func (m *mortal) live(record func() error) error {
	if m.left == 0 {
		return errFull
	}
	m.left--
	return record()
}

func (m *mortal) Note(n step.Note) error { return m.live(func() error { return m.Journal.Note(n) }) }

func (m *mortal) Event(ev step.Event) error {
	return m.live(func() error { return m.Journal.Event(ev) })
}

func (m *mortal) Starting(a *step.Action) error {
	return m.live(func() error { return m.Journal.Starting(a) })
}

// TestARunThatIsResumedTellsWhatItsDeadOwnerCouldNot kills the owner after each
// entry of the record: the notes of the whole run are those of a run that was
// never killed, each once.
func TestARunThatIsResumedTellsWhatItsDeadOwnerCouldNot(t *testing.T) {
	t.Parallel()
	const recipe = `name: root
steps:
  - {id: a, command: one}
  - {id: b, condition: 'false', command: two}
  - {id: c, parallel_group: g, command: three}
  - {id: d, command: four, retry: {attempts: 2}}
finally: [{id: e, command: five}]
`
	executor := executor(func(context.Context, *step.Action, <-chan struct{}) step.Result { return step.Result{OK: true} })
	options := journal.Options{Now: time.Now}
	want := []string(nil)
	for after := -1; ; after++ {
		dir := t.TempDir()
		writer, err := journal.Create(dir, options)
		if err != nil {
			t.Fatal(err)
		}
		if err := writer.Append(journal.KindRunStarted, journal.RunStarted{RunID: "r", Start: time.Now().UTC()}); err != nil {
			t.Fatal(err)
		}
		m := &mortal{local.Journal{Writer: writer}, after}
		d := &local.Driver{Executor: executor, Record: m, Now: time.Now}
		outcome, _ := d.Run(t.Context(), started(t, recipe), nil)
		if err := writer.Close(); err != nil {
			t.Fatal(err)
		}
		if after < 0 {
			want = notes(t, dir)
			if outcome == nil || len(want) < 10 {
				t.Fatalf("%+v, notes %q", outcome, want)
			}
			continue
		}
		killed := m.left == 0
		resume(t, dir, recipe, &local.Driver{Executor: executor, Now: time.Now})
		if diff := cmp.Diff(want, notes(t, dir)); diff != "" {
			t.Errorf("killed after %d entries:\n%s", after, diff)
		}
		if !killed {
			return
		}
	}
}

// resume goes on with the run whose journal lies in dir.
func resume(t *testing.T, dir, text string, d *local.Driver) {
	t.Helper()
	past := local.NewHistory(nil)
	writer, _, err := journal.Continue(dir, journal.Options{Now: time.Now}, past.Add)
	if err != nil {
		t.Fatal(err)
	}
	tree := resolved(t, text)
	run := runner.New(tree, runner.Options{})
	restored, err := past.Restore(run, tree, local.Choice{})
	if err != nil {
		t.Fatal(err)
	}
	d.Record, d.Known = &local.Journal{Writer: writer}, restored.Known
	if _, err := d.Resume(t.Context(), run, restored.Batch, nil); err != nil {
		t.Fatal(err)
	}
	if err := writer.Close(); err != nil {
		t.Fatal(err)
	}
}

// notes are those of a record, without what differs from run to run.
func notes(t *testing.T, dir string) (all []string) {
	t.Helper()
	reader, err := journal.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	for rec, err := range reader.Records() {
		if err != nil {
			t.Fatal(err)
		}
		if rec.Kind == journal.KindNote {
			n, err := rec.Note(nil)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, fmt.Sprint(n.Kind, " ", n.Path, " ", n.Name))
		}
	}
	return slices.Clip(all)
}
