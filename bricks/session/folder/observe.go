package folder

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/brickoven/brickoven/bricks/session"
)

// Observe reads what is in the folder now and compares it with what the engine
// left. iteration is the name of the folder of the iteration that ended; empty
// between iterations, as when a session is opened again. seen is how many
// requests the state knows ([session.State].Requests). Nothing is changed, and
// observing twice tells the same.
func (x *Session) Observe(ctx context.Context, iteration string, seen int) (session.Observation, error) {
	var o session.Observation
	err := x.store.locked(ctx, x.id, func() error {
		now, err := scan(x.dir)
		if err != nil {
			return fmt.Errorf("session %s: %w", x.id, err)
		}
		found, err := x.store.requests(x.id, now)
		if err != nil {
			return err
		}
		x.requests = found.valid
		allowed := session.Allowed(iteration)
		o.Tampered = session.Compare(x.left, now, func(p string) bool {
			return allowed(p) || x.left[p] == "" && found.names[p]
		})
		o.Tampered = append(o.Tampered, found.lost(x.left)...)
		x.accept(now, found, func(p string) bool { return p != session.ControlFile && allowed(p) })
		for _, r := range found.valid {
			if r.Number > seen {
				o.Requests = append(o.Requests, r)
			}
		}
		o.Control = x.control(found)
		o.Evidence = session.Evidence{Kind: session.EvidenceAbsent}
		if iteration != "" {
			o.Evidence = session.ReadGoalCheck(readFile(filepath.Join(x.dir, session.IterationsDir, iteration, session.GoalCheckFile)))
		}
		return nil
	})
	return o, err
}

// accept keeps the marks of what others may write, so that it may not change
// later.
func (x *Session) accept(now session.Manifest, found requests, own func(string) bool) {
	x.accepted = session.Manifest{}
	for p, mark := range now {
		if own(p) || found.names[p] && x.left[p] == "" {
			x.accepted[p] = mark
		}
	}
}

// control reads the control file. A stop by a person counts only together with
// the request that it was made for.
func (x *Session) control(found requests) session.Reading {
	f := readFile(filepath.Join(x.dir, session.ControlFile))
	c, err := session.ParseControl(f.Data)
	asked := err == nil && slices.ContainsFunc(found.valid, func(r session.Request) bool {
		return r.Kind == session.RequestStop && r.Text == c.Reason
	})
	return session.ReadControl(f, asked)
}

// requests are the requests in a session's folder.
type requests struct {
	// valid are those of the command line, by number.
	valid []session.Request
	// names are their paths.
	names map[string]bool
	// issued is how many the command line made.
	issued int
}

func (s Store) requests(id string, now session.Manifest) (requests, error) {
	seal, err := s.readSeal(id)
	if err != nil {
		return requests{}, err
	}
	key, err := seal.key()
	if err != nil {
		return requests{}, fmt.Errorf("session %s: %w", id, err)
	}
	found := requests{names: map[string]bool{}, issued: seal.Issued}
	for p := range now {
		if path.Dir(p) != session.RequestsDir {
			continue
		}
		f := readFile(filepath.Join(s.Dir, id, filepath.FromSlash(p)))
		r, err := session.ParseRequest(f.Data, key)
		if err == nil && path.Base(p) == session.RequestName(r.Number) {
			found.valid = append(found.valid, r)
			found.names[p] = true
		}
	}
	slices.SortFunc(found.valid, func(a, b session.Request) int { return a.Number - b.Number })
	return found, nil
}

// lost lists the requests that the command line made and that are gone before
// the engine saw them; those that it saw are in its manifest.
func (r requests) lost(left session.Manifest) []session.Difference {
	var gone []session.Difference
	for number := 1; number <= r.issued; number++ {
		p := path.Join(session.RequestsDir, session.RequestName(number))
		if !r.names[p] && left[p] == "" {
			gone = append(gone, session.Difference{Path: p, Change: session.Removed})
		}
	}
	return gone
}

// scan takes the manifest of a folder; empty when it is gone. Folders inside it
// are not in the manifest.
func scan(dir string) (session.Manifest, error) {
	now := session.Manifest{}
	err := filepath.WalkDir(dir, func(name string, entry fs.DirEntry, err error) error {
		rel, relErr := filepath.Rel(dir, name)
		switch {
		case relErr != nil:
			return relErr
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil && rel == ".":
			return err
		case err != nil:
			now[filepath.ToSlash(rel)] = "unreadable"
			return nil
		case entry.IsDir():
			return nil
		}
		if mark := markOf(name, entry.Type()); mark != "" {
			now[filepath.ToSlash(rel)] = mark
		}
		return nil
	})
	return now, err
}

// markOf marks whatever stands at a place; empty when it is gone.
func markOf(name string, kind fs.FileMode) string {
	if kind&fs.ModeSymlink != 0 {
		target, err := os.Readlink(name)
		if err != nil {
			return "unreadable"
		}
		return "link:" + target
	}
	if !kind.IsRegular() {
		return "special:" + strings.TrimRight(kind.String(), "-")
	}
	file, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return ""
	}
	if err != nil {
		return "unreadable"
	}
	defer file.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, file); err != nil {
		return "unreadable"
	}
	return "sha256:" + hex.EncodeToString(sum.Sum(nil))
}

// Await waits until the command line asks for something that match accepts
// among the requests after seen, looking every so often; or until ctx ends. It
// may run beside everything else of the session, for a stop --now during an
// iteration, or a retry-now during a wait.
func (x *Session) Await(ctx context.Context, every time.Duration, seen int, match func(session.Request) bool) (session.Request, error) {
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for {
		all, err := x.store.readRequests(x.id)
		if err != nil {
			return session.Request{}, err
		}
		for _, r := range all {
			if r.Number > seen && match(r) {
				return r, nil
			}
		}
		select {
		case <-ctx.Done():
			return session.Request{}, ctx.Err()
		case <-ticker.C:
		}
	}
}

// readRequests reads the requests of a session without its lock: each is a file
// that appears whole.
func (s Store) readRequests(id string) ([]session.Request, error) {
	entries, err := os.ReadDir(filepath.Join(s.Dir, id, session.RequestsDir))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("session %s: %w", id, err)
	}
	now := session.Manifest{}
	for _, entry := range entries {
		now[path.Join(session.RequestsDir, entry.Name())] = ""
	}
	found, err := s.requests(id, now)
	return found.valid, err
}
