package evidence

import (
	"bufio"
	"bytes"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"slices"
	"strings"
)

// withUntracked completes a diff against a snapshot of the whole tree. Git
// compares only what the index knows, so a file that the snapshot holds and the
// index does not looks deleted, and a new untracked file is missing. A file
// that differs from the snapshot is compared by a git of its own, up to
// [comparedApart] files; what is more counts as rewritten.
func (r repository) withUntracked(changes []change, untracked []string) []change {
	files := r.top()
	deleted := map[string]int{}
	for i, c := range changes {
		if c.gone {
			deleted[c.path] = i
		}
	}
	var same []int
	compared := 0
	for _, name := range untracked {
		i, known := deleted[name]
		old := ""
		if known {
			old = changes[i].before
		}
		content, err := readContent(files, name, old)
		switch {
		case err != nil:
			r.warn("the untracked file %q in %s cannot be read%s", name, r.dir, reason(err))
			continue
		case !known:
			changes = append(changes, change{path: name, added: content.lines, binary: content.binary})
			continue
		}
		differs := content.id != old
		if differs {
			compared++
			changes[i], differs = r.rewritten(changes[i], content, compared <= comparedApart)
		}
		if !differs {
			same = append(same, i)
		}
	}
	slices.Sort(same)
	for _, i := range slices.Backward(same) {
		changes = slices.Delete(changes, i, i+1)
	}
	return changes
}

// comparedApart is how many untracked files a git process each may compare. An
// agent keeps a few notes; hundreds of files would take seconds.
const comparedApart = 32

// rewritten is how an untracked file differs from the text that the snapshot
// has of it: line by line where git is to compare it, and else in all lines. It
// may not differ at all, where git writes line ends of its own.
func (r repository) rewritten(c change, now content, apart bool) (_ change, differs bool) {
	if apart {
		out, err := r.git("diff", "--numstat", "-z", "--no-relative", "--no-ext-diff", "--no-textconv", "--no-color",
			c.before, "--", ":(top,literal)"+c.path)
		var lines []change
		if err == nil {
			lines, err = parseChanges(out)
		}
		switch {
		case err != nil:
			r.warn("git diff failed for the untracked file %q in %s, which counts as rewritten%s", c.path, r.dir, reason(err))
		case len(lines) == 0:
			return c, false
		default:
			c.added, c.deleted, c.binary = lines[0].added, lines[0].deleted, lines[0].binary
			return c, true
		}
	}
	if now.binary {
		c.binary = true
	} else {
		c.added = now.lines
	}
	return c, true
}

// content is what the size of a change is made of.
type content struct {
	id     string // git's object id; empty unless asked for
	lines  int
	binary bool
}

// readContent reads a file once. The object id is computed in the hash of like,
// an id of the same repository; like may be empty.
func readContent(files fs.FS, name, like string) (content, error) {
	if strings.HasSuffix(name, "/") { // a repository of its own inside this one
		return content{lines: 1}, nil
	}
	info, err := fs.Lstat(files, name)
	if err != nil {
		return content{}, err
	}
	if info.Mode()&fs.ModeSymlink != 0 {
		target, err := fs.ReadLink(files, name)
		if err != nil {
			return content{}, err
		}
		return measure(strings.NewReader(target), int64(len(target)), like)
	}
	if !info.Mode().IsRegular() {
		return content{}, errors.New("not a regular file")
	}
	f, err := files.Open(name)
	if err != nil {
		return content{}, err
	}
	c, err := measure(f, info.Size(), like)
	return c, errors.Join(err, f.Close())
}

func measure(from io.Reader, size int64, like string) (content, error) {
	var sum hash.Hash
	switch len(like) {
	case hex.EncodedLen(sha1.Size):
		sum = sha1.New()
	default:
		sum = sha256.New()
	}
	fmt.Fprintf(sum, "blob %d\x00", size)

	lines := &lineCounter{}
	reader := bufio.NewReader(from)
	head, err := reader.Peek(binaryWindow)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, bufio.ErrBufferFull) {
		return content{}, err
	}
	c := content{binary: bytes.IndexByte(head, 0) >= 0}
	if _, err := io.Copy(io.MultiWriter(sum, lines), reader); err != nil {
		return content{}, err
	}
	if !c.binary {
		c.lines = lines.count()
	}
	if like != "" {
		c.id = hex.EncodeToString(sum.Sum(nil))
	}
	return c, nil
}

// binaryWindow is how far a NUL byte is looked for, which makes a file binary.
// It fits into the buffer of bufio.NewReader.
const binaryWindow = 4096

// lineCounter counts lines; a last one without line end counts too.
type lineCounter struct {
	ends int
	last byte
	any  bool
}

func (l *lineCounter) Write(p []byte) (int, error) {
	if len(p) > 0 {
		l.ends += bytes.Count(p, []byte("\n"))
		l.last, l.any = p[len(p)-1], true
	}
	return len(p), nil
}

func (l *lineCounter) count() int {
	if l.any && l.last != '\n' {
		return l.ends + 1
	}
	return l.ends
}
