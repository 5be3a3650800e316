package local

import (
	"errors"
	"io"

	"github.com/brickoven/brickoven/recipes/value"
	"github.com/brickoven/brickoven/runner/mask"
	"github.com/brickoven/brickoven/runner/process"
	"github.com/brickoven/brickoven/runner/step"
)

// outputs are the two outputs of a child on their way: masked into the spool,
// the tails and to onlookers, and the beginning of standard output as it is, for
// the variable.
type outputs struct {
	stdout, stderr   *process.Stream
	outTail, errTail *process.Tail
	raw              *beginning // nil without a mask: then the spool has the same
	masks            []*mask.Writer
}

func (m *Machine) open(a *step.Action, spec *process.Spec) *outputs {
	o := &outputs{
		stdout: m.Store.Spool.Stream(a.ID), stderr: m.Store.Spool.Stream(a.ID + ".err"),
		outTail: process.NewTail(), errTail: process.NewTail(),
	}
	spec.Stdout = o.masked(m.Mask, m.watch(a.Path, o.stdout, o.outTail))
	spec.Stderr = o.masked(m.Mask, m.watch(a.Path, o.stderr, o.errTail))
	if m.Mask != nil {
		o.raw = &beginning{}
		spec.Stdout = io.MultiWriter(o.raw, spec.Stdout)
	}
	return o
}

func (o *outputs) masked(masker *mask.Masker, w io.Writer) io.Writer {
	if masker == nil {
		return w
	}
	masking := masker.Writer(w)
	o.masks = append(o.masks, masking)
	return masking
}

// close ends the outputs and gives what standard output became.
func (o *outputs) close() (out output, err error) {
	for _, masking := range o.masks {
		err = errors.Join(err, masking.Close())
	}
	place, outErr := o.stdout.Close()
	_, errErr := o.stderr.Close()
	if err = errors.Join(err, outErr, errErr); err != nil {
		return output{}, err
	}
	captured, err := o.stdout.Capture(0)
	if err != nil {
		return output{}, err
	}
	if o.raw != nil && !o.raw.over {
		return output{text: string(o.raw.bytes)}, nil
	}
	return output{text: captured.Text, truncated: captured.Truncated, place: &place}, nil
}

// refs say where the outputs lie; nil where nothing was printed.
func (o *outputs) refs() (stdout, stderr *value.Ref, err error) {
	outPlace, outErr := o.stdout.Close()
	errPlace, errErr := o.stderr.Close()
	return kept(outPlace), kept(errPlace), errors.Join(outErr, errErr)
}

// kept is a stream's place as a reference; nil where nothing was printed.
func kept(p process.Place) *value.Ref {
	if p.Length == 0 {
		return nil
	}
	return &value.Ref{Hash: p.SHA256, Size: p.Length, Place: p.String()}
}

// beginning remembers what is written, as long as a value can be carried.
type beginning struct {
	bytes []byte
	over  bool
}

func (b *beginning) Write(piece []byte) (int, error) {
	if len(b.bytes)+len(piece) > value.MaxInline {
		b.over, b.bytes = true, nil
	}
	if !b.over {
		b.bytes = append(b.bytes, piece...)
	}
	return len(piece), nil
}
