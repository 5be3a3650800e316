package ledger

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
)

// Schema is the version of the ledger file.
const Schema = 1

// A ledger file is one JSON document, written as lines: the schema and a seal,
// the head with a key a line, and one iteration a line. The seal is the SHA-256
// of every byte behind the first line break. A file whose seal holds is what
// this package wrote and needs no second look, which keeps a long loop fast;
// any other file is read as plain JSON and checked in full.
const (
	sealStart    = `{"schema":1,"seal":"`
	sealEnd      = "\",\n"
	recordsStart = "\n\"iterations\":[\n"
	recordsEnd   = "\n]}\n"
	sealLength   = sha256.Size * 2
	bodyAt       = len(sealStart) + sealLength + len(sealEnd)
)

// Encode prints the ledger as the bytes of its file.
func (l *Ledger) Encode() ([]byte, error) {
	fields, err := json.Marshal(l.head)
	if err != nil {
		return nil, fmt.Errorf("ledger %s: %w", l.Session, err)
	}
	size := bodyAt + len(fields) + len(recordsStart) + len(recordsEnd)
	for _, record := range l.records {
		size += len(record) + len(",\n")
	}
	out := bytes.NewBuffer(make([]byte, 0, size+64))
	out.WriteString(sealStart)
	out.Write(make([]byte, sealLength))
	out.WriteString(sealEnd)
	if err := writeFields(out, fields); err != nil {
		return nil, fmt.Errorf("ledger %s: %w", l.Session, err)
	}
	out.WriteString(recordsStart)
	for i, record := range l.records {
		if i > 0 {
			out.WriteString(",\n")
		}
		out.Write(record)
	}
	out.WriteString(recordsEnd)
	data := out.Bytes()
	copy(data[len(sealStart):], seal(data[bodyAt:]))
	return data, nil
}

// writeFields writes the fields of the head, each on a line and each followed
// by a comma.
func writeFields(out *bytes.Buffer, object []byte) error {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(object, &fields); err != nil {
		return err
	}
	for i, key := range sortedKeys(fields) {
		if i > 0 {
			out.WriteByte('\n')
		}
		fmt.Fprintf(out, "%q:", key)
		out.Write(fields[key])
		out.WriteByte(',')
	}
	return nil
}

func seal(body []byte) string {
	sum := sha256.Sum256(body)
	return hex.EncodeToString(sum[:])
}

// Decode reads the bytes of a ledger file. A file that is not a sound ledger is
// refused with code [Unusable] and all findings; see [Check] for the rules.
func Decode(data []byte) (*Ledger, error) {
	if l, ok := decodeSealed(data); ok {
		return l, nil
	}
	i := inspect(data)
	if len(i.broken) > 0 {
		return nil, &Refusal{Code: Unusable, Message: "the ledger is damaged and was left as it is", Findings: i.broken}
	}
	return i.ledger, nil
}

// decodeSealed reads a file whose seal holds. It leaves the iterations as they
// are.
func decodeSealed(data []byte) (*Ledger, bool) {
	if len(data) < bodyAt || !bytes.HasPrefix(data, []byte(sealStart)) {
		return nil, false
	}
	body := data[bodyAt:]
	if string(data[len(sealStart):len(sealStart)+sealLength]) != seal(body) {
		return nil, false
	}
	fields, records, found := bytes.Cut(body, []byte(recordsStart))
	records, ended := bytes.CutSuffix(records, []byte(recordsEnd))
	if !found || !ended {
		return nil, false
	}
	l := &Ledger{}
	object := append(append([]byte("{"), bytes.TrimSuffix(fields, []byte(","))...), '}')
	if err := unmarshal(object, &l.head); err != nil {
		return nil, false
	}
	if len(records) > 0 {
		for record := range bytes.SplitSeq(records, []byte(",\n")) {
			l.records = append(l.records, record)
		}
	}
	return l, true
}

// unmarshal keeps numbers as they were written.
func unmarshal(data []byte, target any) error {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	return dec.Decode(target)
}

func sortedKeys[T any](m map[string]T) []string {
	return slices.Sorted(maps.Keys(m))
}
