package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/brickoven/brickoven/bricks/brakes/comprehension"
	"github.com/brickoven/brickoven/runner/state"
)

func debtIn(t *testing.T, dir string) *debtBook {
	t.Helper()
	book, err := openDebtBook(state.Locations{Dir: filepath.Join(dir, "state")}, dir)
	if err != nil {
		t.Fatal(err)
	}
	return book
}

// Several processes may accept changes in one repository at once; none is lost.
func TestNoAcceptedChangeIsLostBesideOthers(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var wg sync.WaitGroup
	for i := range 20 {
		wg.Go(func() {
			change := comprehension.Change{Commit: fmt.Sprintf("%040d", i)}
			err := debtIn(t, dir).change(context.Background(), func(d *comprehension.Debt) (bool, error) { d.Add(change); return true, nil })
			if err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	debt, err := debtIn(t, dir).read()
	if err != nil || len(debt.Unread()) != 20 {
		t.Errorf("%d changes are unread, %v", len(debt.Unread()), err)
	}
}

// A book that cannot be read is never taken for one without debt.
func TestABrokenBookIsNoEmptyBook(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	book := debtIn(t, dir)
	if debt, err := book.read(); err != nil || len(debt.Changes) > 0 {
		t.Errorf("without a book: %v, %v", debt, err)
	}
	for text, want := range map[string]string{"{": book.path, `{"version": 9}`: "version 9"} {
		if err := os.MkdirAll(filepath.Dir(book.path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(book.path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		err := book.change(context.Background(), func(d *comprehension.Debt) (bool, error) { t.Error("it was opened"); return true, nil })
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
		if kept, err := os.ReadFile(book.path); err != nil || string(kept) != text {
			t.Errorf("the book is %q now", kept)
		}
	}
}
