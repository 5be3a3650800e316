package folder

import (
	"crypto/rand"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/brickoven/brickoven/bricks/session"
)

func TestOldEndedSessionsGo(t *testing.T) {
	t.Parallel()
	store := Store{Dir: t.TempDir()}
	begin := func(i int) (*Session, *session.Coordinator) {
		at := moment.Add(time.Duration(i) * time.Second)
		x, err := store.Create(t.Context(), Opening{Goal: fmt.Sprint(i), At: at, Random: rand.Reader, Holder: "h"})
		if err != nil {
			t.Fatal(err)
		}
		c, err := session.Start(x.ID(), session.GoalHash("g"), session.Config{Workflows: session.Single("work", "fix")}, at)
		if err != nil {
			t.Fatal(err)
		}
		return x, c
	}
	var ids, stay []string
	for i := range DefaultKeep + slack + 1 {
		x, c := begin(i)
		if i != 1 { // one of the oldest has not ended
			c.Halt(session.Braked, "judged_stuck", "r", moment)
		}
		if err := x.Write(t.Context(), Record{State: c.State(), Events: c.TakeEvents()}); err != nil {
			t.Fatal(err)
		}
		if i == 2 { // one is held
			t.Cleanup(func() { x.Close() })
		} else if err := x.Close(); err != nil {
			t.Fatal(err)
		}
		ids = append(ids, x.ID())
	}
	stay = append([]string{ids[1], ids[2]}, ids[slack+1:]...)
	if err := store.Retain(); err != nil {
		t.Fatal(err)
	}
	got, err := store.IDs()
	if err != nil || !slices.Equal(got, stay) {
		t.Errorf("%d sessions are left (%v), want %d", len(got), err, len(stay))
	}
	if _, err := store.Open(t.Context(), ids[0], "h"); err == nil {
		t.Error("a removed session can be opened")
	}
}
