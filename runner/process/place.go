package process

import (
	"fmt"
	"strconv"
	"strings"
)

// Place says where a stream lies in a [Spool].
type Place struct {
	File   string `json:"file"` // relative to the spool's folder, with slashes
	Offset int64  `json:"offset"`
	Length int64  `json:"length"`
	SHA256 string `json:"sha256"` // of the Length bytes, lower-case hex
}

// String is the place in one word, without the hash: file@offset+length. It is
// what [value.Ref] carries; [ParsePlace] reads it.
func (p Place) String() string { return fmt.Sprintf("%s@%d+%d", p.File, p.Offset, p.Length) }

// ParsePlace reads what [Place.String] wrote. The hash is empty. ok is false
// for anything else.
func ParsePlace(text string) (p Place, ok bool) {
	at := strings.LastIndexByte(text, '@')
	if at < 0 {
		return Place{}, false
	}
	offset, length, found := strings.Cut(text[at+1:], "+")
	p.File = text[:at]
	var err1, err2 error
	p.Offset, err1 = strconv.ParseInt(offset, 10, 64)
	p.Length, err2 = strconv.ParseInt(length, 10, 64)
	if !found || err1 != nil || err2 != nil || p.File == "" || p.Offset < 0 || p.Length < 0 {
		return Place{}, false
	}
	return p, true
}

// StorageError tells that a spool could not be written or read: a full disk
// (ENOSPC), a read-only folder (EROFS, EACCES), one that is gone (ENOENT). It
// unwraps to the cause.
type StorageError struct {
	Op   string // what was tried, such as "write"
	Path string
	Err  error
}

func (e *StorageError) Error() string { return fmt.Sprintf("%s %s: %v", e.Op, e.Path, e.Err) }

// Unwrap gives the cause.
func (e *StorageError) Unwrap() error { return e.Err }
