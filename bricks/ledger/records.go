package ledger

import (
	"bytes"
	"encoding/json"
	"iter"
	"slices"
)

// records are the iterations of a ledger as JSON, in order. They stay undecoded
// and, as far as they come from a file, in one piece, because a long loop adds
// one record to thousands. The zero value holds none; values are immutable.
type records struct {
	joined []byte // older records with recordBreak between them
	count  int    // how many records are in joined
	added  []json.RawMessage
}

// recordBreak can not occur inside a record, which is one line.
const recordBreak = ",\n"

// joinedRecords takes records as they stand in a file.
func joinedRecords(data []byte) records {
	if len(data) == 0 {
		return records{}
	}
	return records{joined: data, count: bytes.Count(data, []byte("\n")) + 1}
}

func (r records) len() int { return r.count + len(r.added) }

func (r records) with(record json.RawMessage) records {
	r.added = append(slices.Clip(r.added), record)
	return r
}

// all yields every record, oldest first.
func (r records) all() iter.Seq2[int, []byte] {
	return func(yield func(int, []byte) bool) {
		n := 0
		if r.count > 0 {
			for record := range bytes.SplitSeq(r.joined, []byte(recordBreak)) {
				if !yield(n, record) {
					return
				}
				n++
			}
		}
		for _, record := range r.added {
			if !yield(n, record) {
				return
			}
			n++
		}
	}
}

// parts are the records with breaks between them.
func (r records) parts() [][]byte {
	parts := [][]byte{r.joined}
	for n, record := range r.added {
		if n > 0 || r.count > 0 {
			parts = append(parts, []byte(recordBreak))
		}
		parts = append(parts, record)
	}
	return parts
}
