package journal

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"github.com/brickoven/brickoven/runner/step"
)

// Options decide how a journal is written.
type Options struct {
	// Durable makes every record survive a power cut, at the price of one fsync
	// each. Without it a record survives the death of the process.
	Durable bool
	// Now is the clock of the records. It must be set.
	Now func() time.Time
	// Seal, if set, gets every value and text that may hold a secret and returns
	// what is recorded in its place, a text for a text. The methods of [Record]
	// that give such values take the function that undoes it. It is called by
	// one goroutine at a time.
	Seal func(v any) any
}

// file is what a Writer needs of an *os.File that was opened for appending.
type file interface {
	Write(p []byte) (int, error)
	Truncate(size int64) error
	Sync() error
	Close() error
}

// Writer appends to the journal of a run. One process at a time may have one,
// the owner of the run's [Lock]. It is safe for concurrent use; the order of
// the records is the order of the chain.
type Writer struct {
	path string
	opts Options

	mu     sync.Mutex
	file   file
	end    int64 // in bytes, of the last complete record
	seq    int64
	prev   string
	ended  bool // the last record is run_finished
	data   bytes.Buffer
	line   []byte
	failed *failure
}

// failure is an append that did not work out.
type failure struct {
	kind  Kind
	data  []byte
	err   error
	torn  bool // the file may be longer than end
	final bool // what the file holds is no longer known
}

// Create makes the journal of a new run in dir, which must exist. The error is
// a [*StorageError]; it unwraps to [fs.ErrExist] where dir has a journal, which
// is left as it is.
func Create(dir string, opts Options) (*Writer, error) {
	path := filepath.Join(dir, File)
	f, err := os.OpenFile(path, os.O_RDWR|os.O_APPEND|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, storage("create", path, err)
	}
	if opts.Durable {
		err := errors.Join(syncFolder(dir), syncFolder(filepath.Dir(dir)))
		if err != nil {
			_ = f.Close()
			return nil, storage("sync", dir, err)
		}
	}
	return &Writer{path: path, opts: opts, file: f}, nil
}

// Append adds one record with one write. The payload is the struct that belongs
// to the kind, by value; a note may be a [step.Note].
//
// Where it fails the journal stays as it was, and the error is a
// [*StorageError]. From then on the same record (kind and payload) may be tried
// again, and every other one is refused with a [*RefusedError], so that no
// record stands behind one that is missing. After an fsync that failed nothing
// is accepted any more. A [*RefusedError] also answers a payload that does not
// belong to the kind, a record that is too long, and anything but resumed after
// run_finished.
func (w *Writer) Append(kind Kind, payload any) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if note, is := payload.(step.Note); is {
		payload = newNoted(note)
	}
	if !kind.takes(payload) {
		return &RefusedError{Kind: kind, Reason: fmt.Sprintf("it cannot hold a %T", payload)}
	}
	if w.ended && kind != KindResumed {
		return &RefusedError{Kind: kind, Reason: "the run has ended"}
	}
	data, err := w.encode(payload)
	if err != nil {
		return fmt.Errorf("a %s record of the journal: %w", kind, err)
	}
	if err := w.mayFollow(kind, data); err != nil {
		return err
	}
	line := appendHead(w.line[:0], w.seq+1, w.opts.Now(), kind, w.prev)
	line = append(line, data...)
	line, sum := appendTail(line)
	w.line = line
	if len(line) > MaxLine {
		w.line = nil
		return &RefusedError{Kind: kind, Reason: fmt.Sprintf("it is %d bytes long, and a line may have %d", len(line), MaxLine)}
	}
	if fail := w.put(line); fail != nil {
		fail.kind, fail.data = kind, bytes.Clone(data)
		w.failed = fail
		return fail.err
	}
	w.failed = nil
	w.end += int64(len(line))
	w.seq++
	w.prev = sum
	w.ended = kind == KindRunFinished
	w.shrink()
	return nil
}

// encode gives the JSON of the payload, valid until the next call.
func (w *Writer) encode(payload any) ([]byte, error) {
	if sealed, has := payload.(texts); has && w.opts.Seal != nil {
		var err error
		payload, err = sealed.texts(func(v any) (any, error) { return w.opts.Seal(v), nil })
		if err != nil {
			return nil, err
		}
	}
	w.data.Reset()
	encoder := json.NewEncoder(&w.data)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(payload); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(w.data.Bytes(), []byte("\n")), nil
}

// mayFollow decides about a record after an append that failed.
func (w *Writer) mayFollow(kind Kind, data []byte) error {
	fail := w.failed
	switch {
	case fail == nil:
		return nil
	case fail.final:
		return &RefusedError{Kind: kind, Reason: "the journal failed before", Err: fail.err}
	case fail.kind != kind || !bytes.Equal(fail.data, data):
		return &RefusedError{Kind: kind, Reason: "the record before it is missing", Err: fail.err}
	}
	if !fail.torn {
		return nil
	}
	if err := w.file.Truncate(w.end); err != nil {
		return &StorageError{Op: "truncate", Path: w.path, Err: cause(err), Torn: true}
	}
	fail.torn = false
	return nil
}

// put writes a line. Where that fails, what was written of it is cut off again.
func (w *Writer) put(line []byte) *failure {
	op := "write"
	_, err := w.file.Write(line)
	final := false
	if err == nil && w.opts.Durable {
		op = "sync"
		// After a failed fsync the kernel may have dropped the pages and call
		// the next one a success.
		err = w.file.Sync()
		final = err != nil
	}
	if err == nil {
		return nil
	}
	torn := w.file.Truncate(w.end) != nil
	return &failure{
		err:  &StorageError{Op: op, Path: w.path, Err: cause(err), Torn: torn},
		torn: torn, final: final,
	}
}

// keep is the size in bytes of a buffer that is worth keeping.
const keep = 1 << 20

func (w *Writer) shrink() {
	if cap(w.line) > keep {
		w.line = nil
	}
	if w.data.Cap() > keep {
		w.data = bytes.Buffer{}
	}
}

// Last gives the number and the hash of the last record: 0 and empty where
// there is none.
func (w *Writer) Last() (seq int64, sum string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.seq, w.prev
}

// Close closes the file. Appending afterwards fails.
func (w *Writer) Close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.file.Close(); err != nil {
		return storage("close", w.path, err)
	}
	return nil
}

func storage(op, path string, err error) *StorageError {
	return &StorageError{Op: op, Path: path, Err: cause(err)}
}

// cause leaves out what a StorageError says already.
func cause(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}

func syncFolder(dir string) error {
	if runtime.GOOS == "windows" {
		return nil // folders cannot be synced there
	}
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
