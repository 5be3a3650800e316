package score

import (
	"github.com/brickoven/brickoven/recipes/value"
)

// Record is what one document holds: a loop, and the guard events that stand
// beside it under guard_events.
type Record struct {
	Loop        Loop
	GuardEvents []any
}

// Parse reads the JSON record of a loop: score_history, threshold, mode,
// success, total_duration_seconds and name as in seed 003, iterations with what
// each round used, and guard_events. Other keys are ignored. The scores may
// stand in the iterations alone. Faults are [*InputError]s with line, column
// and, for a score, its index.
func Parse(text string) (Record, error) {
	d, root, err := parseOne(text)
	if err != nil {
		return Record{}, err
	}
	if root.fields == nil {
		return Record{}, d.at(root, "the document is a "+value.Kind(root.value)+"; expected an object with score_history")
	}
	var r Record
	for _, read := range []func(*document, *node, *Record) error{
		readScores, readThreshold, readMode, readSuccess, readDuration, readName, readRounds, readGuardEvents,
	} {
		if err := read(d, root, &r); err != nil {
			return Record{}, err
		}
	}
	return r, nil
}

// field returns the field of an object, nil when it is absent or null.
func field(object *node, name string) *node {
	n := object.fields[name]
	if n == nil || n.value == nil {
		return nil
	}
	return n
}

func readScores(d *document, root *node, r *Record) error {
	history, present := root.fields["score_history"]
	rounds := field(root, "iterations")
	switch {
	case present && history.value == nil:
		return nil
	case present && history.items == nil:
		return d.at(history, "is a "+value.Kind(history.value)+"; expected a list of numbers")
	case present:
		for _, item := range history.items {
			score, err := readScore(d, item)
			if err != nil {
				return err
			}
			r.Loop.Scores = append(r.Loop.Scores, score)
		}
		return nil
	case rounds == nil || rounds.items == nil:
		return d.fault(root.offset, "score_history", -1, "is missing", nil)
	}
	for _, item := range rounds.items {
		score := item.fields["score"]
		if score == nil {
			return d.fault(item.offset, item.path+".score", indexIn(item.path+".score"), "is missing", nil)
		}
		number, err := readScore(d, score)
		if err != nil {
			return err
		}
		r.Loop.Scores = append(r.Loop.Scores, number)
	}
	return nil
}

func readScore(d *document, n *node) (value.Number, error) {
	number, ok := n.value.(value.Number)
	if !ok {
		if n.value == nil {
			return "", d.at(n, "is null; the score is missing")
		}
		return "", d.at(n, "is a "+value.Kind(n.value)+"; a score is a number")
	}
	if _, message := rational(number); message != "" {
		return "", d.at(n, message)
	}
	return number, nil
}

func readNumber(d *document, n *node) (value.Number, error) {
	number, ok := n.value.(value.Number)
	if !ok {
		return "", d.at(n, "is a "+value.Kind(n.value)+"; expected a number")
	}
	if _, message := rational(number); message != "" {
		return "", d.at(n, message)
	}
	return number, nil
}

func readThreshold(d *document, root *node, r *Record) (err error) {
	if n := field(root, "threshold"); n != nil {
		r.Loop.Threshold, err = readNumber(d, n)
	}
	return err
}

func readDuration(d *document, root *node, r *Record) (err error) {
	if n := field(root, "total_duration_seconds"); n != nil {
		r.Loop.TotalDuration, err = readAmount(d, n)
	}
	return err
}

// readAmount reads a number of something used, which cannot be negative.
func readAmount(d *document, n *node) (value.Number, error) {
	number, err := readNumber(d, n)
	if err != nil {
		return "", err
	}
	if exact, _ := rational(number); exact.Sign() < 0 {
		return "", d.at(n, "is "+number.String()+"; expected 0 or more")
	}
	return number, nil
}

func readMode(d *document, root *node, r *Record) error {
	return readText(d, root, "mode", &r.Loop.Mode)
}

func readName(_ *document, root *node, r *Record) error {
	if n := field(root, "name"); n != nil {
		r.Loop.Name, _ = n.value.(string)
	}
	return nil
}

func readText(d *document, root *node, name string, into *string) error {
	n := field(root, name)
	if n == nil {
		return nil
	}
	text, ok := n.value.(string)
	if !ok {
		return d.at(n, "is a "+value.Kind(n.value)+"; expected a text")
	}
	*into = text
	return nil
}

func readSuccess(d *document, root *node, r *Record) error {
	n := field(root, "success")
	if n == nil {
		return nil
	}
	success, ok := n.value.(bool)
	if !ok {
		return d.at(n, "is a "+value.Kind(n.value)+"; expected true or false")
	}
	r.Loop.Success = &success
	return nil
}

func readGuardEvents(d *document, root *node, r *Record) error {
	n := field(root, "guard_events")
	if n == nil {
		return nil
	}
	if n.items == nil {
		return d.at(n, "is a "+value.Kind(n.value)+"; expected a list of events")
	}
	r.GuardEvents = n.value.([]any)
	return nil
}

// ParseGuardEvents reads guard events: a list of them, an object that holds
// such a list under guard_events, a single event, or events one after the other
// as JSON lines. An empty text holds none.
func ParseGuardEvents(text string) ([]any, error) {
	d, roots, err := parseAll(text)
	if err != nil {
		return nil, err
	}
	if len(roots) == 1 {
		root := roots[0]
		if list := field(root, "guard_events"); list != nil {
			root = list
		}
		if root.items != nil {
			return root.value.([]any), nil
		}
	}
	var events []any
	for _, root := range roots {
		if root.fields == nil {
			return nil, d.at(root, "the guard event is a "+value.Kind(root.value)+"; expected an object, or one list of them")
		}
		events = append(events, root.value)
	}
	return events, nil
}
