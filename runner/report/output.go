package report

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/brickoven/brickoven/recipes/value"
	"github.com/brickoven/brickoven/runner/step"
)

// Text is a stored text that can be read in part.
type Text interface {
	io.ReaderAt
	io.Closer
}

// Sources are where a report finds what a journal only refers to.
type Sources struct {
	// Stored opens a text that the run stored. nil has none.
	Stored func(ref value.Ref) (Text, error)
	// Live opens what a running action has printed so far, and tells its length;
	// nil, and a nil text, stand for nothing.
	Live func(action string, stderr bool) (text Text, size int64, err error)
	// Budget is how many bytes of output the report may hold in all;
	// [DefaultBudget] where it is 0.
	Budget int64
}

// DefaultBudget is the size in bytes up to which a report holds outputs. Beyond
// it the long ones are cut, the longest first.
const DefaultBudget = 1500 << 10

// maxOutput bounds a single output in bytes: more is for brickoven runs logs.
const maxOutput = 64 << 10

// piece is an output that is to be read.
type piece struct {
	out  *Output
	ref  *value.Ref
	text string // at hand
	live bool
}

// outputs reads what the steps printed. What cannot be read is said in its
// place.
func (r *Run) outputs(src Sources) {
	var pieces []*piece
	for _, st := range r.All {
		list := st.pieces(src)
		st.Outputs = make([]Output, len(list))
		for i, p := range list {
			st.Outputs[i] = *p.out
			p.out = &st.Outputs[i]
		}
		pieces = append(pieces, list...)
	}
	budget := src.Budget
	if budget == 0 {
		budget = DefaultBudget
	}
	sizes := make([]int64, len(pieces))
	for i, p := range pieces {
		sizes[i] = min(p.out.Size, maxOutput)
	}
	limit := fairShare(sizes, budget)
	for _, p := range pieces {
		if err := p.read(src, limit); err != nil {
			p.out.Missing = clean(err.Error())
		}
	}
}

// fairShare is the length up to which texts of the sizes fit into the budget
// together, when longer ones are cut to it.
func fairShare(sizes []int64, budget int64) int64 {
	sorted := slices.Sorted(slices.Values(sizes))
	for i, size := range sorted {
		share := budget / int64(len(sorted)-i)
		if size > share {
			return share
		}
		budget -= size
	}
	return maxOutput
}

// pieces lists the outputs of a step's actions.
func (s *Step) pieces(src Sources) []*piece {
	var list []*piece
	several := len(s.actions) > 1
	for i, a := range s.actions {
		label := func(what string) string {
			if a.kind == step.Hook {
				what = "hook: " + what
			}
			if several {
				return fmt.Sprintf("%s of attempt %d", what, i+1)
			}
			return what
		}
		if !a.done {
			list = append(list, a.livePieces(label, src)...)
			continue
		}
		list = append(list, a.donePieces(label)...)
	}
	return list
}

// donePieces are the answer, the output and the errors of a finished action. An
// answer that is the output is not repeated.
func (a *action) donePieces(label func(string) string) []*piece {
	var list []*piece
	add := func(what, text string, ref *value.Ref, stderr bool) {
		size := int64(len(text))
		if ref != nil {
			size = ref.Size
		}
		list = append(list, &piece{ref: ref, text: text, out: &Output{Label: label(what), Size: size, Action: a.id, Stderr: stderr}})
	}
	res := a.result
	answer := inline(res.Text)
	large, isLarge := res.Text.(value.Ref)
	switch {
	case a.kind == step.Agent && isLarge:
		add("answer", "", &large, false)
	case answer != "" && (res.Stdout == nil || a.kind == step.Agent):
		add("answer", answer, nil, false)
		if a.kind != step.Agent {
			list[0].out.Label = label("output")
		}
	}
	if res.Stdout != nil && !(a.kind == step.Agent && res.Stdout.Size <= int64(len(answer))+2) {
		add("output", "", res.Stdout, false)
	}
	if res.Stderr != nil {
		add("errors", "", res.Stderr, true)
	}
	return list
}

// livePieces are what a running action has printed so far.
func (a *action) livePieces(label func(string) string, src Sources) []*piece {
	if src.Live == nil {
		return nil
	}
	var list []*piece
	for _, stderr := range []bool{false, true} {
		what := "output so far"
		if stderr {
			what = "errors so far"
		}
		text, size, err := src.Live(a.id, stderr)
		if text == nil && err == nil {
			continue
		}
		if text != nil {
			err = errors.Join(err, text.Close())
		}
		p := &piece{live: true, out: &Output{Label: label(what), Size: size, Action: a.id, Stderr: stderr}}
		if err != nil {
			p.out.Missing = clean(err.Error())
		}
		list = append(list, p)
	}
	return list
}

// read fills the output with at most limit bytes: a quarter from the beginning
// and the rest from the end, where there is more.
func (p *piece) read(src Sources, limit int64) (err error) {
	var text Text
	switch {
	case p.live:
		text, _, err = src.Live(p.out.Action, p.out.Stderr)
	case p.ref == nil:
		text = heldText{strings.NewReader(p.text)}
	case src.Stored != nil:
		text, err = src.Stored(*p.ref)
	}
	if text == nil || err != nil {
		return err
	}
	defer func() { err = errors.Join(err, text.Close()) }()
	size := p.out.Size
	if size <= limit {
		p.out.Text, err = part(text, 0, size)
		return err
	}
	head := limit / 4
	if p.out.Head, err = part(text, 0, head); err != nil {
		return err
	}
	p.out.Text, err = part(text, size-(limit-head), limit-head)
	p.out.Cut = size - limit
	return err
}

func part(text io.ReaderAt, from, length int64) (string, error) {
	data := make([]byte, length)
	n, err := text.ReadAt(data, from)
	if err != nil && !errors.Is(err, io.EOF) {
		return "", err
	}
	return clean(string(data[:n])), nil
}

// heldText is a text that is at hand.
type heldText struct{ *strings.Reader }

func (heldText) Close() error { return nil }
