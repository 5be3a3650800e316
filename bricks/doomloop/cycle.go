package doomloop

import "fmt"

// cycles finds a sequence of two or more events that repeats as a whole.
//
// For each period p it counts in run[p] how many events in a row, up to the
// last, equalled the event p before them. The last run[p]+p events then have
// period p, wherever in the cycle the sequence stands at the moment: ABAB and
// ABABA are found alike, which a search from one end of the cycle would miss.
type cycles struct {
	repeats int
	recent  []symbol // ring of the last maxPeriod symbols
	numbers []int    // ring of their event numbers
	next    int      // events seen
	run     []int    // by period; 0 is unused
	start   []int    // by period: the number of the first event of the run
}

func newCycles(repeats, maxPeriod int) *cycles {
	if repeats == 0 {
		maxPeriod = 0
	}
	return &cycles{
		repeats: repeats,
		recent:  make([]symbol, maxPeriod),
		numbers: make([]int, maxPeriod*max(repeats, 1)),
		run:     make([]int, maxPeriod+1),
		start:   make([]int, maxPeriod+1),
	}
}

func (c *cycles) see(s sighting) []loop {
	size := len(c.recent)
	if size == 0 {
		return nil
	}
	c.numbers[c.next%len(c.numbers)] = s.number
	var loops []loop
	for p := 1; p <= min(size, c.next); p++ {
		before := (c.next - p) % size
		if c.recent[before] != s.symbol {
			c.run[p] = 0
			continue
		}
		if c.run[p] == 0 {
			c.start[p] = c.numbers[(c.next-p)%len(c.numbers)]
		}
		c.run[p]++
	}
	for p := 2; p <= min(size, c.next); p++ {
		if c.run[p] >= (c.repeats-1)*p && c.primitive(p) {
			loops = append(loops, c.found(p, s.number))
		}
	}
	c.recent[c.next%size] = s.symbol
	c.next++
	return loops
}

// primitive reports whether the last p events are not themselves repetitions of
// something shorter, which is then the cycle, or a repeated action.
func (c *cycles) primitive(p int) bool {
	for d := 1; d <= p/2; d++ {
		if p%d == 0 && c.run[d] >= p-d {
			return false
		}
	}
	return true
}

func (c *cycles) found(p, last int) loop {
	length := c.run[p] + p
	var witnesses []int
	for back := min(length, c.repeats*p) - 1; back >= 0; back-- {
		witnesses = append(witnesses, c.numbers[(c.next-back)%len(c.numbers)])
	}
	return loop{
		id: loopID{kind: Cycle, period: p, start: c.start[p]},
		Finding: Finding{
			Kind: Cycle, Period: p, Count: length / p, Witnesses: lastOf(witnesses), Last: last,
			Reason: fmt.Sprintf("the same %d events, with the same outcomes, ran %d times over", p, length/p),
		},
	}
}
