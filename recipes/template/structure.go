package template

import "fmt"

// block is an if, range or with and what belongs to it, as indexes into the
// pieces of the source.
type block struct {
	opener, end int
	elses       []int
	plainElse   bool
}

// match pairs if, range and with with their else and end. What has no partner
// is a fault and stays as it is written.
func (d *draft) match() {
	d.blocks = make(map[int]*block)
	var open []*block
	for i, p := range d.pieces {
		if p.action == nil {
			continue
		}
		var top *block
		if len(open) > 0 {
			top = open[len(open)-1]
		}
		switch keyword := p.action.keyword; keyword {
		case "if", "range", "with":
			open = append(open, &block{opener: i, end: -1})
		case "else", "else if", "else with":
			if !d.fits(top, keyword) {
				d.reject(i, keyword+" has no if, range or with that it could belong to")
				continue
			}
			top.elses = append(top.elses, i)
			top.plainElse = keyword == "else"
			d.blocks[i] = top
		case "end":
			if top == nil {
				d.reject(i, "end has no if, range or with that it could belong to")
				continue
			}
			top.end = i
			open = open[:len(open)-1]
			d.blocks[top.opener], d.blocks[i] = top, top
		}
	}
	for _, b := range open {
		d.rejectBlock(b, d.pieces[b.opener].action.keyword+" has no end")
	}
}

// fits tells whether an else may stand in b: text/template has else if after
// if and else with after with only, and nothing after a plain else.
func (d *draft) fits(b *block, keyword string) bool {
	if b == nil || b.plainElse {
		return false
	}
	return keyword == "else" || keyword == "else "+d.pieces[b.opener].action.keyword
}

// level is what holds inside one branch of a block.
type level struct {
	// dot tells that . stands for a value, inRange that break has a meaning.
	dot, inRange bool
	// locals is how many declared variables stay when the block ends.
	locals int
}

// resolve walks the matched pieces in order and rejects what means nothing
// where it stands: an undeclared $x, a dot outside of range and with, a break
// outside of range.
func (d *draft) resolve() {
	levels := []level{{}}
	var locals []string
	for i, p := range d.pieces {
		if p.action == nil {
			continue
		}
		a, now := p.action, levels[len(levels)-1]
		outer := now
		if len(levels) > 1 {
			outer = levels[len(levels)-2]
		}
		seen := now
		if a.keyword == "else if" || a.keyword == "else with" {
			seen = outer
		}
		if f := a.misplaced(seen, locals); f != nil {
			d.refuse(i, f)
			continue
		}
		switch a.keyword {
		case "if":
			levels = append(levels, level{now.dot, now.inRange, len(locals)})
		case "with":
			levels = append(levels, level{true, now.inRange, len(locals)})
		case "range":
			levels = append(levels, level{true, true, len(locals)})
		case "else", "else if":
			levels[len(levels)-1] = level{outer.dot, outer.inRange, now.locals}
		case "else with":
			levels[len(levels)-1] = level{true, outer.inRange, now.locals}
		case "end":
			locals = locals[:now.locals]
			levels = levels[:len(levels)-1]
		}
		if a.declares {
			for _, v := range a.variables {
				locals = append(locals, v.text)
			}
		}
	}
}

// refuse rejects a piece, together with its whole block if it opens or parts one.
func (d *draft) refuse(i int, f *fault) {
	if b := d.blocks[i]; b != nil {
		d.faults = append(d.faults, f)
		d.drop(b)
		return
	}
	d.faults = append(d.faults, f)
	d.pieces[i].action = nil
}

func (d *draft) reject(i int, message string) {
	d.faults = append(d.faults, &fault{offset: d.pieces[i].part.Start, message: message})
	d.pieces[i].action = nil
}

func (d *draft) rejectBlock(b *block, message string) {
	d.faults = append(d.faults, &fault{offset: d.pieces[b.opener].part.Start, message: message})
	d.drop(b)
}

func (d *draft) drop(b *block) {
	for _, i := range append([]int{b.opener}, b.elses...) {
		d.pieces[i].action = nil
	}
	if b.end >= 0 {
		d.pieces[b.end].action = nil
	}
}

// misplaced finds the first thing in the action that means nothing at this
// level; nil when everything does.
func (a *action) misplaced(at level, locals []string) *fault {
	if (a.keyword == "break" || a.keyword == "continue") && !at.inRange {
		return &fault{message: a.keyword + " stands outside of range", offset: a.offset}
	}
	if !a.declares {
		for _, v := range a.variables {
			if f := v.misplaced(at, locals); f != nil {
				return f
			}
		}
	}
	if a.pipe == nil {
		return nil
	}
	return a.pipe.misplaced(at, locals)
}

func (p *pipeline) misplaced(at level, locals []string) *fault {
	for _, c := range p.commands {
		for _, o := range c.operands {
			if f := o.misplaced(at, locals); f != nil {
				return f
			}
		}
	}
	return nil
}

func (o operand) misplaced(at level, locals []string) *fault {
	switch o.kind {
	case dot:
		if !at.dot {
			return &fault{offset: o.offset, message: "a dot has a meaning inside of range and with only; a variable is written without one"}
		}
	case local:
		for _, l := range locals {
			if l == o.text {
				return nil
			}
		}
		return &fault{offset: o.offset, message: fmt.Sprintf("%s is not declared", o.text)}
	case group:
		return o.pipe.misplaced(at, locals)
	}
	return nil
}
