package process

import (
	"io"
	"os"
	"sync"
)

// pipeEnds are the two ends of an output; ours is nil when the child writes
// into a file directly.
type pipeEnds struct {
	ours  *outlet
	child *os.File
}

// nullDevice is the null device, open in one direction. All children share it
// once it is open.
type nullDevice struct {
	direction int // os.O_RDONLY or os.O_WRONLY
	mu        sync.Mutex
	file      *os.File
}

var (
	nothing = nullDevice{direction: os.O_RDONLY}
	nowhere = nullDevice{direction: os.O_WRONLY}
)

func (n *nullDevice) open() (*os.File, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	var err error
	if n.file == nil {
		n.file, err = os.OpenFile(os.DevNull, n.direction, 0)
	}
	return n.file, err
}

// descriptors are the files that are open during a start. The child's ends are
// closed afterwards in every case, ours only when the start failed.
type descriptors struct {
	childs []*os.File
	ours   []io.Closer
	input  *os.File // our end of stdin, if it is a pipe
}

// close closes the ends that belong to the child. Their errors say nothing:
// nothing was written to them here.
func (d *descriptors) close() { closeAll(d.childs) }

func (d *descriptors) abandon() { closeAll(d.ours) }

func closeAll[F io.Closer](files []F) {
	for _, f := range files {
		_ = f.Close()
	}
}

func (d *descriptors) stdin(in io.Reader) (*os.File, error) {
	if file, ok := in.(*os.File); ok {
		return file, nil
	}
	if in == nil {
		return nothing.open()
	}
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	d.childs, d.ours, d.input = append(d.childs, r), append(d.ours, w), w
	return r, nil
}

func (d *descriptors) outputs(s Spec) (stdout, stderr pipeEnds, err error) {
	if stdout, err = d.output(s.Stdout); err != nil {
		return stdout, stderr, err
	}
	if s.Stdout != nil && sameWriter(s.Stdout, s.Stderr) {
		return stdout, stdout, nil
	}
	stderr, err = d.output(s.Stderr)
	return stdout, stderr, err
}

func (d *descriptors) output(out io.Writer) (pipeEnds, error) {
	if file, ok := out.(*os.File); ok && file != nil {
		return pipeEnds{child: file}, nil
	}
	if out == nil {
		file, err := nowhere.open()
		return pipeEnds{child: file}, err
	}
	r, w, err := newOutlet()
	if err != nil {
		d.abandon()
		return pipeEnds{}, err
	}
	d.ours, d.childs = append(d.ours, r), append(d.childs, w)
	return pipeEnds{ours: r, child: w}, nil
}

// sameWriter compares two writers; types that cannot be compared are not the
// same.
func sameWriter(a, b io.Writer) (same bool) {
	defer func() {
		if recover() != nil {
			same = false
		}
	}()
	return a == b
}

// feed writes a reader into the child's stdin. A nil feed has nothing to do.
type feed struct {
	pipe *os.File
	in   io.Reader
}

func newFeed(pipe *os.File, in io.Reader) *feed {
	if pipe == nil {
		return nil
	}
	return &feed{pipe, in}
}

func (f *feed) start() {
	if f == nil {
		return
	}
	go func() {
		// A child may end without reading everything; that is its right and
		// no error. A reader that fails ends the input.
		_, _ = io.Copy(f.pipe, f.in)
		_ = f.pipe.Close()
	}()
}

// close unblocks a writer whose pipe nobody reads any more.
func (f *feed) close() {
	if f != nil {
		_ = f.pipe.Close()
	}
}
