package comprehension_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/brickoven/brickoven/bricks/brakes/comprehension"
)

func commit(n int) string { return fmt.Sprintf("%040x", 0xabcdef0000+n) }
func head(n int) string   { return fmt.Sprintf("%040x", 0x1234560000+n) }

func debtOf(n int) comprehension.Debt {
	var d comprehension.Debt
	for i := 1; i <= n; i++ {
		d.Add(comprehension.Change{Commit: commit(i), Head: head(i)})
	}
	return d
}

// read takes for granted that a statement was verified.
func read(previous, through string) comprehension.Verified {
	return comprehension.Verified{
		Ack:       comprehension.Ack{Statement: through},
		Statement: comprehension.Statement{Repository: "p", Previous: previous, Through: through, Reviewer: "me", At: time.Unix(0, 0)},
	}
}

func TestAnAcknowledgementReadsOnlyWhatCameBefore(t *testing.T) {
	t.Parallel()
	d := debtOf(5)
	n, err := d.Acknowledge(read("", commit(3)))
	if err != nil || n != 3 {
		t.Fatalf("read %d, %v", n, err)
	}
	if diff := cmp.Diff([]string{commit(4), commit(5)}, d.Unread()); diff != "" {
		t.Error(diff)
	}
	if d.Through != commit(3) || len(d.Acks) != 1 {
		t.Errorf("got %+v", d)
	}
}

func TestAnAcknowledgementCountsOnce(t *testing.T) {
	t.Parallel()
	d := debtOf(5)
	first := read("", commit(3))
	if _, err := d.Acknowledge(first); err != nil {
		t.Fatal(err)
	}
	var refused *comprehension.RefusedError
	if _, err := d.Acknowledge(first); !errors.As(err, &refused) || refused.Reason != comprehension.Replayed {
		t.Errorf("the second time: %v", err)
	}
	if _, err := d.Acknowledge(read(commit(3), commit(2))); !errors.Is(err, comprehension.ErrNotUnread) {
		t.Errorf("of an older change: %v", err)
	}
	if len(d.Unread()) != 2 {
		t.Errorf("unread are %v", d.Unread())
	}
}

func TestAChangeCountsOnce(t *testing.T) {
	t.Parallel()
	d := debtOf(2)
	d.Add(comprehension.Change{Commit: commit(2)})
	if len(d.Unread()) != 2 {
		t.Errorf("unread are %v", d.Unread())
	}
	if _, err := d.Acknowledge(read("", commit(2))); err != nil {
		t.Fatal(err)
	}
	d.Add(comprehension.Change{Commit: commit(2)})
	if len(d.Unread()) != 0 {
		t.Errorf("what was read is unread again: %v", d.Unread())
	}
}

func TestAChangeIsFoundByItsBeginningOrByTheBranchsCommit(t *testing.T) {
	t.Parallel()
	d := debtOf(3)
	d.Add(comprehension.Change{Commit: commit(4), Head: head(3)}) // nothing was committed in between
	for id, want := range map[string]string{
		commit(2):                  commit(2),
		strings.ToUpper(commit(2)): commit(2),
		head(2):                    commit(2),
		head(3):                    commit(4),
	} {
		if c, err := d.Find(id); err != nil || c.Commit != want {
			t.Errorf("%s: got %s, %v", id, c.Commit, err)
		}
	}
	for _, id := range []string{"", "abc", commit(9), commit(1)[:39]} {
		if c, err := d.Find(id); err == nil {
			t.Errorf("%q names %s", id, c.Commit)
		}
	}
}

func TestTheDebtIsKeptAsJSON(t *testing.T) {
	t.Parallel()
	d := debtOf(3)
	if _, err := d.Acknowledge(read("", commit(1))); err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	var again comprehension.Debt
	if err := json.Unmarshal(text, &again); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(d, again); diff != "" || again.Version != comprehension.Version {
		t.Error(diff)
	}
}

func TestAStatementIsReadBackOnlyInItsOneForm(t *testing.T) {
	t.Parallel()
	s := comprehension.Statement{Repository: "p-1", Through: commit(1), Reviewer: "me@example.com", At: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}
	got, err := comprehension.ParseStatement(s.String())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(s, got); diff != "" {
		t.Error(diff)
	}
	text := s.String()
	for name, other := range map[string]string{
		"empty":         "",
		"more lines":    text + "\n",
		"fewer lines":   strings.TrimSuffix(text, "\n"),
		"another order": strings.Replace(text, "repository", "reviewer", 1),
		"another zone":  strings.Replace(text, "03:04:05Z", "04:04:05+01:00", 1),
		"blanks":        strings.Replace(text, "reviewer: ", "reviewer:  ", 1),
		"no reviewer":   strings.Replace(text, "me@example.com", "", 1),
		"no time":       strings.Replace(text, "2026-01-02", "today", 1),
		"version 2":     strings.Replace(text, "acknowledgement 1", "acknowledgement 2", 1),
	} {
		if _, err := comprehension.ParseStatement(other); err == nil {
			t.Errorf("%s: %q is read", name, other)
		}
	}
}

func TestNoTwoStatementsHaveTheSameText(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		draw := func() comprehension.Statement {
			word := rapid.StringOfN(rapid.RuneFrom([]rune("ab: \nn-")), 0, 4, -1)
			return comprehension.Statement{
				Repository: word.Draw(t, "repository"), Previous: word.Draw(t, "previous"), Through: word.Draw(t, "through"),
				Reviewer: word.Draw(t, "reviewer"), At: time.Unix(rapid.Int64Range(0, 3).Draw(t, "at"), 0).UTC(),
			}
		}
		s := draw()
		if s.Check() != nil {
			return
		}
		got, err := comprehension.ParseStatement(s.String())
		if err != nil {
			t.Fatalf("%q: %v", s.String(), err)
		}
		if diff := cmp.Diff(s, got); diff != "" {
			t.Fatal(diff)
		}
	})
}
