package journal

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strconv"
	"time"
)

const (
	sumMember = `,"sum":"`
	hexLength = 2 * sha256.Size
	tailSize  = len(sumMember) + hexLength + len(`"}`)
)

// appendHead adds a line up to its data.
func appendHead(line []byte, seq int64, at time.Time, kind Kind, prev string) []byte {
	line = append(line, `{"v":`...)
	line = strconv.AppendInt(line, Version, 10)
	line = append(line, `,"seq":`...)
	line = strconv.AppendInt(line, seq, 10)
	line = append(line, `,"at":"`...)
	line = at.UTC().AppendFormat(line, time.RFC3339Nano)
	line = append(line, `","kind":"`...)
	line = append(line, kind...)
	line = append(line, `","prev":"`...)
	line = append(line, prev...)
	return append(line, `","data":`...)
}

// appendTail closes a line with its hash and the line feed.
func appendTail(line []byte) (whole []byte, sum string) {
	hash := sha256.Sum256(line)
	line = append(line, sumMember...)
	from := len(line)
	line = hex.AppendEncode(line, hash[:])
	sum = string(line[from:])
	return append(line, '"', '}', '\n'), sum
}

// fault is what is wrong with one line by itself.
type fault struct {
	why    Why
	detail string
}

// parseLine reads one line without its line feed. The record's data is a part
// of line. Only the canonical form is accepted, so that a hash stands for
// exactly one text.
func parseLine(line []byte) (Record, *fault) {
	r, ok := splitLine(line)
	if ok && r.V != Version {
		return r, &fault{BadVersion, fmt.Sprintf("it has version %d, and this program reads version %d", r.V, Version)}
	}
	if !ok {
		if json.Valid(line) {
			return r, &fault{Changed, "it is JSON, but not in the form of a record"}
		}
		return r, &fault{NotJSON, "it is not JSON"}
	}
	hash := sha256.Sum256(line[:len(line)-tailSize])
	var text [hexLength]byte
	hex.Encode(text[:], hash[:])
	if string(text[:]) == r.Sum {
		return r, nil
	}
	if !json.Valid(line) {
		return r, &fault{NotJSON, "it is not JSON"}
	}
	return r, &fault{Changed, "its content does not have the hash that it carries"}
}

// splitLine takes a line apart. A version other than ours is as far as it goes
// in such a line.
func splitLine(line []byte) (r Record, ok bool) {
	c := cursor{rest: line, ok: true}
	c.skip(`{"v":`)
	r.V = int(c.number())
	if c.ok && r.V != Version {
		return r, json.Valid(line)
	}
	c.skip(`,"seq":`)
	r.Seq = c.number()
	c.skip(`,"at":"`)
	at := c.text()
	c.skip(`,"kind":"`)
	r.Kind = Kind(c.text())
	c.skip(`,"prev":"`)
	r.Prev = c.text()
	c.skip(`,"data":`)
	if !c.ok || len(c.rest) <= tailSize {
		return r, false
	}
	tail := cursor{rest: c.rest[len(c.rest)-tailSize:], ok: true}
	r.Data = c.rest[:len(c.rest)-tailSize]
	tail.skip(sumMember)
	r.Sum = tail.text()
	tail.skip("}")
	if !tail.ok || len(tail.rest) > 0 || len(r.Sum) != hexLength {
		return r, false
	}
	var err error
	r.At, err = time.Parse(time.RFC3339Nano, at)
	return r, err == nil
}

// cursor walks over a line; ok turns false where the line is not as expected.
type cursor struct {
	rest []byte
	ok   bool
}

func (c *cursor) skip(text string) {
	if !c.ok || len(c.rest) < len(text) || string(c.rest[:len(text)]) != text {
		c.ok = false
		return
	}
	c.rest = c.rest[len(text):]
}

func (c *cursor) number() int64 {
	end := 0
	for end < len(c.rest) && c.rest[end] >= '0' && c.rest[end] <= '9' {
		end++
	}
	n, err := strconv.ParseInt(string(c.rest[:end]), 10, 64)
	c.ok = c.ok && err == nil
	c.rest = c.rest[end:]
	return n
}

// text reads up to a quote and passes over it. Nothing in the head of a line
// needs an escape.
func (c *cursor) text() string {
	end := bytes.IndexByte(c.rest, '"')
	if !c.ok || end < 0 {
		c.ok = false
		return ""
	}
	text := string(c.rest[:end])
	c.rest = c.rest[end+1:]
	return text
}
