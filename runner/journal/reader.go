package journal

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
)

// Reader streams the records of a journal and checks each of them. It holds one
// line in memory. It is not safe for concurrent use. A journal may be read
// while its owner writes; what is complete at that moment is seen, and a line
// that is just being written looks torn.
type Reader struct {
	path  string
	runID string
	file  io.Closer
	in    *bufio.Reader

	long   []byte // a line that does not fit into the buffer of in
	line   int64  // of the last record
	offset int64  // in bytes, behind the last record
	prev   string
	kind   Kind // of the last record
	torn   *Torn
	err    error
}

// Read opens the journal in dir. The error is a [*StorageError]; it unwraps to
// [fs.ErrNotExist] where there is none.
func Read(dir string) (*Reader, error) {
	path := filepath.Join(dir, File)
	f, err := os.Open(path)
	if err != nil {
		return nil, storage("open", path, err)
	}
	return newReader(path, f, f), nil
}

func newReader(path string, in io.Reader, closer io.Closer) *Reader {
	return &Reader{
		path: path, runID: filepath.Base(filepath.Dir(path)),
		file: closer, in: bufio.NewReaderSize(in, 64<<10),
	}
}

// Next gives the next record; its Data belongs to the caller. At the end of the
// journal, which may be a torn line (see [Reader.Torn]), the error is [io.EOF].
// A [*DamageError] tells that the journal cannot be relied on from here on, a
// [*StorageError] that it could not be read. Errors stay.
func (r *Reader) Next() (Record, error) {
	if r.err != nil {
		return Record{}, r.err
	}
	record, err := r.next()
	if err != nil {
		r.err = err
		return Record{}, err
	}
	record.Data = bytes.Clone(record.Data)
	return record, nil
}

// next is Next with data that is valid until the next call.
func (r *Reader) next() (Record, error) {
	line, err := r.readLine()
	if err != nil {
		return Record{}, err
	}
	record, wrong := parseLine(line)
	if wrong == nil {
		wrong = r.follows(record)
	}
	if wrong != nil {
		return Record{}, r.damage(r.line+1, record.Seq, *wrong)
	}
	r.line++
	r.offset += int64(len(line)) + 1
	r.prev, r.kind = record.Sum, record.Kind
	return record, nil
}

// follows checks that a record, which is sound by itself, stands in its place.
func (r *Reader) follows(record Record) *fault {
	want := r.line + 1
	switch {
	case record.Seq == r.line && record.Sum == r.prev:
		return &fault{Duplicated, fmt.Sprintf("record %d stands there a second time", record.Seq)}
	case record.Seq < want:
		return &fault{Reordered, fmt.Sprintf("record %d stands in the place of record %d", record.Seq, want)}
	case record.Seq > want:
		return &fault{Dropped, fmt.Sprintf("record %d follows record %d; what was between them is missing", record.Seq, r.line)}
	case record.Prev != r.prev:
		return &fault{Chain, fmt.Sprintf("record %d was not written after what stands at line %d; one of the two was replaced", record.Seq, r.line)}
	}
	return nil
}

// readLine gives the next line without its line feed, valid until the next
// call.
func (r *Reader) readLine() ([]byte, error) {
	r.long = r.long[:0]
	for {
		part, err := r.in.ReadSlice('\n')
		switch {
		case err == nil && len(r.long) == 0:
			return part[:len(part)-1], nil
		case err == nil:
			r.long = append(r.long, part...)
			return r.long[:len(r.long)-1], nil
		case errors.Is(err, bufio.ErrBufferFull):
			r.long = append(r.long, part...)
			if len(r.long) > MaxLine {
				return nil, r.damage(r.line+1, 0, fault{TooLong, fmt.Sprintf("it has more than %d bytes", MaxLine)})
			}
		case errors.Is(err, io.EOF):
			r.tear(int64(len(r.long) + len(part)))
			return nil, io.EOF
		default:
			return nil, storage("read", r.path, err)
		}
	}
}

func (r *Reader) tear(length int64) {
	if length > 0 {
		r.torn = &Torn{Path: r.path, Line: r.line + 1, Offset: r.offset, Length: length}
	}
}

func (r *Reader) damage(line, seq int64, f fault) *DamageError {
	return &DamageError{RunID: r.runID, Path: r.path, Line: line, Seq: seq, Why: f.why, Detail: f.detail}
}

// Torn describes the torn last line once Next has returned [io.EOF]. It is nil
// where the journal ends with a complete record.
func (r *Reader) Torn() *Torn { return r.torn }

// Records ranges over what is left. The last pair has an error unless the end
// of the journal was reached.
func (r *Reader) Records() iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		for {
			record, err := r.Next()
			if errors.Is(err, io.EOF) {
				return
			}
			if !yield(record, err) || err != nil {
				return
			}
		}
	}
}

// Close closes the file.
func (r *Reader) Close() error {
	if err := r.file.Close(); err != nil {
		return storage("close", r.path, err)
	}
	return nil
}
