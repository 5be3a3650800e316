package doomloop

import "fmt"

// failureKey is what makes two failures the same: the error where its signature
// is known, whoever ran into it; else the call and what it printed.
type failureKey struct {
	call          call
	error, output string
}

func failureOf(s sighting) failureKey {
	if s.Error != "" {
		return failureKey{error: s.Error}
	}
	return failureKey{call: s.call, output: s.Output}
}

// failures finds the same failure in a row, and the same failure of the same
// call over and over while other steps go well in between, as when an agent
// edits and the test fails in the same way after each edit.
type failures struct {
	inRow, overall int
	row            streak[failureKey]
	recurring      map[call]*streak[failureKey]
}

func (f *failures) see(s sighting) []loop {
	if s.Status != Failed {
		f.row.clear()
		if s.Status == Succeeded {
			delete(f.recurring, s.call)
		}
		return nil
	}
	key := failureOf(s)
	f.row.add(key, s.number)
	var loops []loop
	if f.inRow > 0 && f.row.count >= f.inRow {
		loops = append(loops, failureLoop("row", &f.row, s.number,
			fmt.Sprintf("%d failures in a row had the same error", f.row.count)))
	}
	again := f.remember(s.call)
	again.add(key, s.number)
	// A loop that the row has reported already is not reported a second time.
	if f.overall > 0 && again.count >= f.overall && again.count > f.row.count {
		loops = append(loops, failureLoop("again", again, s.number,
			fmt.Sprintf("%s failed %d times with the same error and never succeeded in between", s.Action, again.count)))
	}
	return loops
}

func (f *failures) remember(c call) *streak[failureKey] {
	if f.recurring == nil {
		f.recurring = map[call]*streak[failureKey]{}
	}
	if f.recurring[c] == nil {
		f.recurring[c] = &streak[failureKey]{}
	}
	return f.recurring[c]
}

func failureLoop(detail string, row *streak[failureKey], last int, reason string) loop {
	return loop{
		id: loopID{kind: RepeatedFailure, detail: detail, start: row.start},
		Finding: Finding{
			Kind: RepeatedFailure, Count: row.count, Witnesses: lastOf(row.numbers), Last: last, Reason: reason,
		},
	}
}
