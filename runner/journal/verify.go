package journal

import (
	"errors"
	"io"

	"github.com/brickoven/brickoven/recipes/value"
)

// Report is what [Verify] found.
type Report struct {
	RunID   string `json:"run_id"`
	Path    string `json:"path"`
	Records int64  `json:"records"` // sound ones, from the start to the first break
	Last    string `json:"last"`    // the hash of the last of them
	// Finished tells that the last record is the run's end.
	Finished bool `json:"finished"`
	// Damage is the line that breaks the chain, or nil.
	Damage *DamageError `json:"damage,omitempty"`
	// Torn is the torn last line, or nil. It is no damage.
	Torn *Torn `json:"torn,omitempty"`
	// Outputs counts the stored outputs that were looked at, and Lost lists
	// those that are no longer what they were.
	Outputs int    `json:"outputs"`
	Lost    []Lost `json:"lost,omitempty"`
}

// Lost is a stored output that is gone or was changed.
type Lost struct {
	Line   int64     `json:"line"`
	Action string    `json:"action"`
	Ref    value.Ref `json:"ref"`
	Err    error     `json:"-"`
	Text   string    `json:"error"` // of Err
}

// OK reports whether the journal and all outputs are as they were written.
func (r Report) OK() bool { return r.Damage == nil && len(r.Lost) == 0 }

// Verify reads the journal in dir to its end, or to the first line that breaks
// the chain. check, if set, is asked about every stored value that the
// start or an action's result refers to, and returns an error when it is not there with that hash.
// The error means that the journal could not be read; a broken chain is part of
// the report.
func Verify(dir string, check func(ref value.Ref) error) (Report, error) {
	r, err := Read(dir)
	if err != nil {
		return Report{}, err
	}
	report, err := r.verify(check)
	if closeErr := r.Close(); err == nil {
		err = closeErr
	}
	return report, err
}

func (r *Reader) verify(check func(value.Ref) error) (Report, error) {
	report := Report{RunID: r.runID, Path: r.path}
	for {
		record, err := r.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if errors.As(err, &report.Damage) {
			break
		}
		if err != nil {
			return report, err
		}
		if check != nil {
			report.outputs(record, check)
		}
	}
	report.Records, report.Last = r.line, r.prev
	report.Finished = r.kind == KindRunFinished && report.Damage == nil
	report.Torn = r.torn
	if report.Damage != nil && report.Damage.Why == Dropped {
		return report, r.search(report.Damage)
	}
	return report, nil
}

// search tells a dropped record from one that stands further down.
func (r *Reader) search(damage *DamageError) error {
	missing := damage.Line
	for {
		line, err := r.readLine()
		if errors.Is(err, io.EOF) {
			return nil
		}
		var tooLong *DamageError
		if errors.As(err, &tooLong) {
			return nil
		}
		if err != nil {
			return err
		}
		record, wrong := parseLine(line)
		if wrong == nil && record.Seq == missing {
			damage.Why = Reordered
			damage.Detail = "it has the record of another line, and the record that belongs here stands further down"
			return nil
		}
	}
}

func (report *Report) outputs(record Record, check func(value.Ref) error) {
	action, values := stored(record)
	refs := map[value.Ref]bool{}
	for _, v := range values {
		if at, is := v.(*value.Ref); is && at != nil {
			v = *at
		}
		ref, is := v.(value.Ref)
		if !is || refs[ref] {
			continue
		}
		refs[ref] = true
		report.Outputs++
		if err := check(ref); err != nil {
			report.Lost = append(report.Lost, Lost{Line: record.Seq, Action: action, Ref: ref, Err: err, Text: err.Error()})
		}
	}
}

// stored gives the values of a record that may lie outside of the journal. A
// record that cannot be read has none: its hash is right, so it was written this
// way.
func stored(record Record) (action string, values []any) {
	switch record.Kind {
	case KindRunStarted:
		start, err := record.RunStarted(nil)
		if err != nil {
			return "", nil
		}
		for _, v := range start.Vars {
			values = append(values, v.Value.Get())
		}
	case KindActionFinished:
		ev, _, err := record.Event(nil)
		if err != nil {
			return "", nil
		}
		return ev.ID, []any{ev.Result.Text, ev.Result.Value, ev.Result.Stdout, ev.Result.Stderr}
	}
	return "", values
}
