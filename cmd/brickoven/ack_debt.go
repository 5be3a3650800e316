package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/brickoven/brickoven/bricks/brakes/comprehension"
	"github.com/brickoven/brickoven/bricks/durable"
	"github.com/brickoven/brickoven/runner/state"
	"github.com/gofrs/flock"
)

// debtBook keeps the understanding debt of one repository, for all processes and
// runs that work in it.
type debtBook struct {
	repository string // the project's id
	path       string
}

// debtBook is the book of the repository that a folder lies in.
func openDebtBook(places state.Locations, dir string) (*debtBook, error) {
	id, err := state.ProjectID(dir)
	if err != nil {
		return nil, err
	}
	return &debtBook{repository: id, path: filepath.Join(places.Debt(), id+".json")}, nil
}

// debtLockEvery is how often a lock that another process has is tried for.
const debtLockEvery = 20 * time.Millisecond

// change reads the debt, lets alter change it, and writes it, all under the
// book's lock. Where alter fails, or says that nothing changed, nothing is
// written.
func (b *debtBook) change(ctx context.Context, alter func(*comprehension.Debt) (changed bool, err error)) (err error) {
	if err := state.Prepare(filepath.Dir(b.path)); err != nil {
		return err
	}
	lock := flock.New(b.path+".lock", flock.SetPermissions(state.FileMode))
	if _, err := lock.TryLockContext(ctx, debtLockEvery); err != nil {
		return fmt.Errorf("the understanding debt of %s: %w", b.repository, err)
	}
	defer func() { err = errors.Join(err, lock.Unlock()) }()
	debt, err := b.read()
	if err != nil {
		return err
	}
	changed, err := alter(&debt)
	if err != nil || !changed {
		return err
	}
	text, err := json.MarshalIndent(debt, "", "  ")
	if err != nil {
		return err
	}
	return durable.Replace(b.path, state.FileMode, filepath.Dir(b.path), append(text, '\n'))
}

// read gives the debt; a repository without a book has none. A book of another
// version, or one that cannot be read, is never taken for an empty one.
func (b *debtBook) read() (debt comprehension.Debt, err error) {
	text, err := os.ReadFile(b.path)
	if errors.Is(err, fs.ErrNotExist) {
		return comprehension.Debt{}, nil
	}
	if err != nil {
		return debt, err
	}
	if err := json.Unmarshal(text, &debt); err != nil {
		return debt, fmt.Errorf("%s: %w", b.path, err)
	}
	if debt.Version != comprehension.Version {
		return debt, fmt.Errorf("%s has version %d, and this program knows version %d", b.path, debt.Version, comprehension.Version)
	}
	return debt, nil
}
