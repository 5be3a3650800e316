package journal

import (
	"errors"
	"io"
	"path/filepath"
	"slices"
	"time"

	"github.com/brickoven/brickoven/runner/process"
)

// Status is how a run stands.
type Status string

// The statuses of a run.
const (
	// StatusRunning is a run without an end that a living process holds.
	StatusRunning Status = "running"
	// StatusInterrupted is a run without an end that nobody holds.
	StatusInterrupted Status = "interrupted"
	// StatusFinished is a run whose last record is its end.
	StatusFinished Status = "finished"
	// StatusDamaged is a run whose journal cannot be relied on.
	StatusDamaged Status = "damaged"
)

// Resumable tells whether a run that ended with the status may go on: a signal,
// or a fault of the program, ended it before its time.
func Resumable(status string) bool { return status == "interrupted" || status == "crashed" }

// Resumable tells whether the run has no end, or one after which it may go on.
func (s Summary) Resumable() bool { return s.End == nil || Resumable(s.End.Status) }

// Summary is how a run stands, as far as its journal and its lock tell.
type Summary struct {
	RunID   string
	Dir     string // the run's folder
	Recipe  string
	WorkDir string
	Started time.Time
	Status  Status
	// End is the run's end where Status is StatusFinished, else nil.
	End *RunFinished
	// Last is the time of the last record: the end of a finished run, the last
	// sign of life of another.
	Last time.Time
	// Holder is the owner of a running run.
	Holder Owner
	// Err is what is wrong with a damaged run.
	Err error

	// What follows is only known to [Summarize].

	// Records counts the records, Attempt the owners of the run.
	Records int64
	Attempt int
	// Running lists the actions without an end, in the order they started: what
	// runs, or ran when the owner died.
	Running []Running
	// Wait is the wait that the run itself announced last, or nil.
	Wait *Wait
	// Torn is the torn last line, or nil.
	Torn *Torn
}

// Running is an action without an end.
type Running struct {
	ActionStarted
	Since time.Time
	// Process is the action's process, or nil where none was reported.
	Process *process.Ident
	// Last is the time of the last record about the action.
	Last time.Time
	// Output is when the action printed last. The journal does not know; the
	// caller of [Judge] fills it in. Zero means never.
	Output time.Time
	// Wait is the wait that the action announced last, or nil.
	Wait *Wait
}

// Summarize reads the whole journal in dir. Where it is damaged the summary has
// what was read up to there, and the error is the [*DamageError] that is also in
// Err. A journal without an end reads as running only while a living process
// holds the run.
func Summarize(dir string) (Summary, error) {
	s := Summary{RunID: filepath.Base(dir), Dir: dir}
	// The lock is looked at first: an owner that writes the end and lets go in
	// this moment must not look like one that died.
	holder, held, err := Holder(dir)
	if err != nil {
		return s, err
	}
	r, err := Read(dir)
	if err != nil {
		return s, err
	}
	err = s.scan(r)
	if closeErr := r.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		s.settle(holder, held)
	}
	var damage *DamageError
	if errors.As(err, &damage) {
		s.Status, s.Err = StatusDamaged, err
	}
	return s, err
}

func (s *Summary) scan(r *Reader) error {
	for {
		record, err := r.next()
		if errors.Is(err, io.EOF) {
			s.Torn = r.Torn()
			return nil
		}
		if err != nil {
			return err
		}
		s.Records++
		s.Last = record.At
		if err := s.take(record); err != nil {
			return err
		}
	}
}

// settle decides the status by the end of the journal and, where it has none,
// by the lock as it was before the journal was read.
func (s *Summary) settle(holder Owner, held bool) {
	switch {
	case s.End != nil:
		s.Status = StatusFinished
	case held:
		s.Status, s.Holder = StatusRunning, holder
	default:
		s.Status = StatusInterrupted
	}
}

func (s *Summary) take(record Record) error {
	switch record.Kind {
	case KindRunStarted:
		return s.start(record)
	case KindActionStarted:
		action := Running{Since: record.At, Last: record.At}
		if err := record.Decode(&action.ActionStarted); err != nil {
			return err
		}
		s.Running = append(s.Running, action)
	case KindProcessStarted:
		var data ProcessStarted
		if err := record.Decode(&data); err != nil {
			return err
		}
		if action := s.running(data.ID); action != nil {
			action.Process, action.Last = &data.Process, record.At
		}
	case KindUsed:
		var data struct {
			ID string `json:"id"`
		}
		if err := record.Decode(&data); err != nil {
			return err
		}
		if action := s.running(data.ID); action != nil {
			action.Last = record.At
		}
	case KindWait:
		return s.wait(record)
	case KindActionFinished:
		var data struct {
			ID string `json:"id"`
		}
		if err := record.Decode(&data); err != nil {
			return err
		}
		s.Running = slices.DeleteFunc(s.Running, func(a Running) bool { return a.ID == data.ID })
	case KindResumed:
		return s.resume(record)
	case KindRunFinished:
		s.End, s.Running, s.Wait = &RunFinished{}, nil, nil
		return record.Decode(s.End)
	}
	return nil
}

// start reads what a summary needs of the first record.
func (s *Summary) start(record Record) error {
	var data struct {
		Recipe string    `json:"recipe"`
		Dir    string    `json:"dir"`
		Start  time.Time `json:"start"`
	}
	if err := record.Decode(&data); err != nil {
		return err
	}
	s.Recipe, s.WorkDir, s.Started, s.Attempt = data.Recipe, data.Dir, data.Start, 1
	if s.Started.IsZero() {
		s.Started = record.At
	}
	return nil
}

// resume begins a new attempt: what its dead owner left running was ended.
func (s *Summary) resume(record Record) error {
	var data Resumed
	if err := record.Decode(&data); err != nil {
		return err
	}
	s.Attempt = data.Attempt
	s.End, s.Running, s.Wait = nil, nil, nil
	return nil
}

func (s *Summary) wait(record Record) error {
	data := &Wait{}
	if err := record.Decode(data); err != nil {
		return err
	}
	if data.ID == "" {
		s.Wait = data
	} else if action := s.running(data.ID); action != nil {
		action.Wait, action.Last = data, record.At
	}
	return nil
}

func (s *Summary) running(id string) *Running {
	for i := range s.Running {
		if s.Running[i].ID == id {
			return &s.Running[i]
		}
	}
	return nil
}
