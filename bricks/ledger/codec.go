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
// the head, and one iteration a line. The seal is the SHA-256
// of every byte behind the first line break. A file whose seal holds is what
// this package wrote and needs no second look, which keeps a long loop fast;
// any other file is read as plain JSON and checked in full.
const (
	sealStart    = `{"schema":1,"seal":"`
	sealEnd      = "\",\n"
	recordsStart = ",\n\"iterations\":[\n"
	recordsEnd   = "\n]}\n"
	sealLength   = sha256.Size * 2
	bodyAt       = len(sealStart) + sealLength + len(sealEnd)
)

// Encode gives the bytes of the ledger's file in parts that follow one another.
// Those that came from a file are the same memory, so that one more record does
// not copy the thousands before it.
func (l *Ledger) Encode() (parts [][]byte, err error) {
	fields, err := json.Marshal(l.head)
	if err != nil {
		return nil, fmt.Errorf("ledger %s: %w", l.Session, err)
	}
	body := [][]byte{fields[1 : len(fields)-1], []byte(recordsStart)}
	body = append(append(body, l.records.parts()...), []byte(recordsEnd))
	return append([][]byte{[]byte(sealStart + seal(body...) + sealEnd)}, body...), nil
}

func seal(body ...[]byte) string {
	sum := sha256.New()
	for _, part := range body {
		sum.Write(part)
	}
	return hex.EncodeToString(sum.Sum(nil))
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
	object := append(append([]byte("{"), fields...), '}')
	if err := unmarshal(object, &l.head); err != nil {
		return nil, false
	}
	l.records = joinedRecords(records)
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
