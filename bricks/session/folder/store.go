// Package folder keeps sessions in files: one folder a session, written
// atomically, private to the user, with one engine at a time. It reads and
// writes and decides nothing; the rules are in package session.
//
// Beside the sessions lies .private with a folder for each of them. It holds
// what no agent has any business with: the lock of the engine, the key that
// seals requests from the command line, and the manifest of the session's files
// as the engine left them. All of it belongs to the same user as the agent, so
// an agent that sets out to forge it can; what it can not do is forge it by
// writing into the session's own folder.
package folder

import (
	"cmp"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/brickoven/brickoven/bricks/durable"
	"github.com/brickoven/brickoven/bricks/session"
	"github.com/gofrs/flock"
)

// Store is a folder of sessions. It has no state of its own; any number of
// stores in any number of processes may use one folder at the same time.
type Store struct {
	// Dir is the folder; it is made, private to the user, with the first session.
	Dir string
}

const (
	fileMode   = 0o600
	folderMode = 0o700
	privateDir = ".private"
	keySize    = 32
)

// Opening is what a new session begins with.
type Opening struct {
	// Meta needs no id, hash or time; they are set here.
	Meta session.Meta
	Goal string
	At   time.Time
	// Random gives the id and the key of the session; it must be a
	// cryptographic source.
	Random io.Reader
	// Holder says who runs the session, for whoever finds it held.
	Holder string
}

// dir is the folder of a session. The id is checked, because it may come from a
// command line.
func (s Store) dir(id string) (string, error) {
	if err := session.CheckID(id); err != nil {
		return "", err
	}
	return filepath.Join(s.Dir, id), nil
}

func (s Store) private(id, name string) string { return filepath.Join(s.Dir, privateDir, id, name) }

// openingPrefix begins the name of a session's folder until it is complete, so
// that a session is there as a whole or not at all.
const openingPrefix = ".opening-"

// Create makes a session with its first files and holds it.
func (s Store) Create(ctx context.Context, o Opening) (*Session, error) {
	random := make([]byte, 4+keySize)
	if _, err := io.ReadFull(o.Random, random); err != nil {
		return nil, fmt.Errorf("a new session: %w", err)
	}
	id := session.NewID(o.At, o.Goal, [4]byte(random[:4]))
	dir, err := s.dir(id)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(s.private(id, ""), folderMode); err != nil {
		return nil, fmt.Errorf("a new session: %w", err)
	}
	if err := s.sweep(); err != nil {
		return nil, fmt.Errorf("a new session: %w", err)
	}
	hold, err := Take(ctx, s.private(id, engineLock), "session "+id, o.Holder)
	if err != nil {
		return nil, err
	}
	x := &Session{store: s, id: id, dir: filepath.Join(s.Dir, openingPrefix+id), hold: hold, left: session.Manifest{}}
	if err := x.complete(ctx, o, random[4:], dir); err != nil {
		return nil, errors.Join(fmt.Errorf("a new session: %w", err), hold.Release())
	}
	return x, nil
}

// complete writes the first files of a session and puts its folder in its place.
func (x *Session) complete(ctx context.Context, o Opening, key []byte, place string) error {
	if err := os.Mkdir(x.dir, folderMode); err != nil {
		return err
	}
	if err := x.first(ctx, o, key); err != nil {
		return err
	}
	if err := os.Rename(x.dir, place); err != nil {
		return err
	}
	x.dir = place
	return nil
}

// sweep removes what is left of sessions whose engine died while it made them.
func (s Store) sweep() error {
	entries, err := os.ReadDir(s.Dir)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		id, opening := strings.CutPrefix(entry.Name(), openingPrefix)
		if !opening || session.CheckID(id) != nil {
			continue
		}
		if _, held, err := holder(s.private(id, engineLock)); err != nil || held {
			continue // it is being made; or nothing can be said of it now
		}
		if err := errors.Join(os.RemoveAll(filepath.Join(s.Dir, entry.Name())), os.RemoveAll(s.private(id, ""))); err != nil {
			return err
		}
	}
	return nil
}

// Open holds a session that is there. What an engine that died had begun to
// write is written to the end first. The error is a [*Held] when another engine
// has it, and fs.ErrNotExist when there is no such session.
func (s Store) Open(ctx context.Context, id, holder string) (*Session, error) {
	dir, err := s.dir(id)
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(dir); err != nil {
		return nil, fmt.Errorf("session %s: %w", id, err)
	}
	if _, err := s.readSeal(id); err != nil {
		return nil, err
	}
	hold, err := Take(ctx, s.private(id, engineLock), "session "+id, holder)
	if err != nil {
		return nil, err
	}
	x := &Session{store: s, id: id, dir: dir, hold: hold, left: session.Manifest{}}
	if err := x.recover(ctx); err != nil {
		return nil, errors.Join(err, hold.Release())
	}
	return x, nil
}

// IDs lists the sessions of the store, oldest first; none when the folder is not
// there.
func (s Store) IDs() ([]string, error) {
	entries, err := os.ReadDir(s.Dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("the sessions: %w", err)
	}
	var ids []string
	for _, entry := range entries {
		if entry.IsDir() && session.CheckID(entry.Name()) == nil {
			ids = append(ids, entry.Name())
		}
	}
	slices.SortFunc(ids, func(a, b string) int {
		if order := strings.Compare(second(a), second(b)); order != 0 {
			return order
		}
		return cmp.Or(s.created(a).Compare(s.created(b)), strings.Compare(a, b))
	})
	return ids, nil
}

// second is the time in the id of a session.
func second(id string) string {
	at, _, _ := strings.Cut(id, "_")
	clock, _, _ := strings.Cut(strings.TrimPrefix(id, at+"_"), "_")
	return at + clock
}

// created is when a session was made, more exactly than its id says; zero where
// its file cannot be read.
func (s Store) created(id string) time.Time {
	data, err := os.ReadFile(filepath.Join(s.Dir, id, session.MetaFile))
	if err != nil {
		return time.Time{}
	}
	meta, err := session.ParseMeta(data)
	if err != nil {
		return time.Time{}
	}
	return meta.CreatedAt
}

// The files of a session's private folder.
const (
	engineLock   = "engine.lock"
	requestsLock = "requests.lock"
	sealFile     = "seal.json"
	pendingFile  = "pending.json"
	leftFile     = "left.json"
)

// seal is what requests are sealed with, and how many there are.
type seal struct {
	Key    string `json:"key"`
	Issued int    `json:"issued"`
}

func (s Store) readSeal(id string) (seal, error) {
	data, err := os.ReadFile(s.private(id, sealFile))
	if err != nil {
		return seal{}, fmt.Errorf("session %s has lost its private files: %w", id, err)
	}
	var found seal
	if err := json.Unmarshal(data, &found); err != nil {
		return seal{}, fmt.Errorf("session %s: %s: %w", id, sealFile, err)
	}
	return found, nil
}

func (s Store) writeSeal(id string, v seal) error { return s.writePrivate(id, sealFile, v) }

func (s Store) writePrivate(id, name string, v any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("session %s: %s: %w", id, name, err)
	}
	if err := durable.Replace(s.private(id, name), fileMode, s.private(id, ""), data); err != nil {
		return fmt.Errorf("session %s: %w", id, err)
	}
	return nil
}

func (v seal) key() ([]byte, error) {
	key, err := hex.DecodeString(v.Key)
	if err != nil || len(key) != keySize {
		return nil, fmt.Errorf("%s: the key is not %d bytes in hex", sealFile, keySize)
	}
	return key, nil
}

// locked runs work while neither the engine nor another command touches the
// requests and the control file.
func (s Store) locked(ctx context.Context, id string, work func() error) (err error) {
	lock := flock.New(s.private(id, requestsLock), flock.SetPermissions(fileMode))
	if _, err := lock.TryLockContext(ctx, retryEvery); err != nil {
		return errors.Join(fmt.Errorf("waiting for session %s: %w", id, err), lock.Close())
	}
	defer func() { err = errors.Join(err, lock.Close()) }()
	return work()
}
