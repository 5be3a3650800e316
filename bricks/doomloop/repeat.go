package doomloop

import "fmt"

// streak is a row of events that have a key in common. It remembers the numbers
// only as far as a finding can name them.
type streak[K comparable] struct {
	key     K
	count   int
	start   int
	numbers []int
}

// add extends the row, or begins a new one when the key differs.
func (s *streak[K]) add(key K, number int) {
	if s.count == 0 || s.key != key {
		*s = streak[K]{key: key, start: number}
	}
	s.count++
	s.numbers = append(s.numbers, number)
	if len(s.numbers) > 2*MaxWitnesses {
		s.numbers = lastOf(s.numbers)
	}
}

func (s *streak[K]) clear() { *s = streak[K]{} }

// repeats finds the same call with the same outcome in a row.
type repeats struct {
	least int
	row   streak[symbol]
}

func (r *repeats) see(s sighting) []loop {
	r.row.add(s.symbol, s.number)
	if r.least == 0 || r.row.count < r.least {
		return nil
	}
	return []loop{{
		id: loopID{kind: RepeatedAction, start: r.row.start},
		Finding: Finding{
			Kind: RepeatedAction, Count: r.row.count, Witnesses: lastOf(r.row.numbers), Last: s.number,
			Reason: fmt.Sprintf("%s ran %d times in a row with the same arguments and the same outcome", s.Action, r.row.count),
		},
	}}
}

// outputs finds the same output in a row from different calls; the same call is
// the business of repeats.
type outputs struct {
	least   int
	minSize int64
	row     streak[string]
	first   call
	varied  bool
}

func (o *outputs) see(s sighting) []loop {
	if s.Element {
		return nil
	}
	if o.least == 0 || s.Output == "" || s.Progress == Made || s.OutputSize > 0 && s.OutputSize < o.minSize {
		o.row.clear()
		return nil
	}
	o.row.add(s.Output, s.number)
	if o.row.count == 1 {
		o.first, o.varied = s.call, false
	}
	o.varied = o.varied || s.call != o.first
	if o.row.count < o.least || !o.varied {
		return nil
	}
	return []loop{{
		id: loopID{kind: RepeatedOutput, start: o.row.start},
		Finding: Finding{
			Kind: RepeatedOutput, Count: o.row.count, Witnesses: lastOf(o.row.numbers), Last: s.number,
			Reason: fmt.Sprintf("%d events in a row gave the same output, whatever was called", o.row.count),
		},
	}}
}
