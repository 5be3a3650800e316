package doomloop

import "slices"

// A Detector watches one sequence of events. It is not safe for concurrent use;
// give each run, and each agent call, one of its own.
type Detector struct {
	config Config
	fed    int // events so far
	// prev is the last event that the sequence detectors saw.
	prev     *sighting
	watchers []watcher
	labels   []string // of all events, as soon as one has a label
	limits   limits
	plans    plans
	findings []Finding
	byLoop   map[loopID]int // index in findings
}

// sighting is an event with its number and all that makes two events the same.
type sighting struct {
	Event
	number int
	call   call
	symbol symbol
}

// call is an action with its arguments.
type call struct{ action, args string }

// symbol is a call with its outcome. A poll whose result changes is a new
// symbol each time, which is why polling is no loop.
type symbol struct {
	call
	status         Status
	output, errors string
	// made sets an event that made progress apart from every other one; 0 for
	// the rest.
	made int
}

// loopID tells one loop from another: its detector, and the event it began with.
type loopID struct {
	kind   Kind
	detail string
	period int
	start  int
}

// loop is what a watcher reports at every event while a loop goes on.
type loop struct {
	id loopID
	Finding
}

// watcher is one detector over the sequence of events.
type watcher interface {
	see(s sighting) []loop
}

// New returns a detector with the thresholds of config, or a [*ConfigError].
func New(config Config) (*Detector, error) {
	if err := config.check(); err != nil {
		return nil, err
	}
	repeats := &repeats{least: config.RepeatedAction}
	d := &Detector{
		config: config,
		byLoop: map[loopID]int{},
		limits: limits{config: config},
		plans:  plans{least: config.CircularPlan},
		watchers: []watcher{
			repeats,
			&failures{inRow: config.RepeatedFailure, overall: config.RecurringFailure},
			&outputs{least: config.RepeatedOutput, minSize: config.MinOutput},
			newCycles(config.CycleRepeats, config.MaxPeriod),
			&novelty{least: config.NoProgress, seen: map[symbol]bool{}},
		},
	}
	return d, nil
}

// Feed takes the next event and returns the loops that it completes, each loop
// once: at the event at which it reaches its threshold. [Detector.Findings]
// goes on counting.
func (d *Detector) Feed(event Event) []Finding {
	d.fed++
	s := sighting{Event: event, number: d.fed, call: call{event.Action, event.Args}}
	s.symbol = symbol{call: s.call, status: event.Status, output: event.Output, errors: event.Error}
	if event.Progress == Made {
		s.symbol.made = d.fed
	}
	if event.Label != "" || d.labels != nil {
		d.labels = append(append(d.labels, make([]string, d.fed-1-len(d.labels))...), event.Label)
	}

	loops := d.limits.see(s)
	loops = append(loops, d.plans.see(s)...)
	if !d.patientRetry(s) {
		for _, w := range d.watchers {
			loops = append(loops, w.see(s)...)
		}
		d.prev = &s
	}
	return d.record(loops)
}

// patientRetry is the same call with the same outcome after a wait: another
// look at the same attempt, which no sequence detector counts.
func (d *Detector) patientRetry(s sighting) bool {
	return d.prev != nil && d.config.PatientWait > 0 &&
		s.Waited >= d.config.PatientWait && s.symbol == d.prev.symbol
}

func (d *Detector) record(loops []loop) (fresh []Finding) {
	for _, l := range loops {
		if i, known := d.byLoop[l.id]; known {
			l.Witnesses, l.Names = d.findings[i].Witnesses, d.findings[i].Names
			d.findings[i] = l.Finding
			continue
		}
		d.byLoop[l.id] = len(d.findings)
		if d.labels != nil {
			for _, number := range l.Witnesses {
				l.Names = append(l.Names, d.labels[number-1])
			}
		}
		d.findings = append(d.findings, l.Finding)
		fresh = append(fresh, copyOf(l.Finding))
	}
	return fresh
}

// Findings returns all loops so far in the order in which they were found, with
// their counts up to the last event.
func (d *Detector) Findings() []Finding {
	all := make([]Finding, len(d.findings))
	for i, finding := range d.findings {
		all[i] = copyOf(finding)
	}
	return all
}

func copyOf(f Finding) Finding {
	f.Witnesses, f.Names = slices.Clone(f.Witnesses), slices.Clone(f.Names)
	return f
}

// Scan feeds all events to a new detector and returns its findings.
func Scan(events []Event, config Config) ([]Finding, error) {
	d, err := New(config)
	if err != nil {
		return nil, err
	}
	for _, event := range events {
		d.Feed(event)
	}
	return d.Findings(), nil
}

// lastOf keeps the last MaxWitnesses numbers.
func lastOf(numbers []int) []int {
	if len(numbers) > MaxWitnesses {
		numbers = numbers[len(numbers)-MaxWitnesses:]
	}
	return append([]int(nil), numbers...)
}
