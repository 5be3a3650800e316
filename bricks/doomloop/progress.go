package doomloop

import "fmt"

// novelty finds a row of events that show nothing new: every call with its
// outcome has been there before, or the caller marks them as no progress.
type novelty struct {
	least int
	seen  map[symbol]bool
	row   streak[bool]
}

func (n *novelty) see(s sighting) []loop {
	isNew := !n.seen[s.symbol]
	n.seen[s.symbol] = true
	if s.Progress == Made || isNew && s.Progress != Missing {
		n.row.clear()
		return nil
	}
	n.row.add(true, s.number)
	if n.least == 0 || n.row.count < n.least {
		return nil
	}
	return []loop{{
		id: loopID{kind: NoProgress, start: n.row.start},
		Finding: Finding{
			Kind: NoProgress, Count: n.row.count, Witnesses: lastOf(n.row.numbers), Last: s.number,
			Reason: fmt.Sprintf("%d events in a row showed nothing that was not there before", n.row.count),
		},
	}}
}

// plans finds a plan that goes round: it changes back, several times in a row,
// to plans that were given up before.
type plans struct {
	least   int
	current string
	seen    map[string]bool
	returns streak[bool]
}

func (p *plans) see(s sighting) []loop {
	if p.least == 0 || s.Plan == "" || s.Plan == p.current {
		return nil
	}
	if p.seen == nil {
		p.seen = map[string]bool{}
	}
	known := p.seen[s.Plan]
	p.current, p.seen[s.Plan] = s.Plan, true
	if !known {
		p.returns.clear()
		return nil
	}
	p.returns.add(true, s.number)
	if p.returns.count < p.least {
		return nil
	}
	return []loop{{
		id: loopID{kind: CircularPlan, start: p.returns.start},
		Finding: Finding{
			Kind: CircularPlan, Count: p.returns.count, Witnesses: lastOf(p.returns.numbers), Last: s.number,
			Reason: fmt.Sprintf("the plan went back %d times in a row to one that had been given up", p.returns.count),
		},
	}}
}
