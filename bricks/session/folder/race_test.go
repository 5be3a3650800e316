package folder

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"testing"

	"github.com/brickoven/brickoven/bricks/session"
)

// TestMain lets the test binary stand in for a person's command line.
func TestMain(m *testing.M) {
	if dir := os.Getenv("SESSION_TEST_DIR"); dir != "" {
		for n := range 10 {
			r := session.Request{Kind: session.RequestUpdate, Text: fmt.Sprintf("%s %d", os.Getenv("SESSION_TEST_NAME"), n), At: moment}
			if _, err := (Store{Dir: dir}).Ask(context.Background(), os.Getenv("SESSION_TEST_ID"), r); err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// TestPeopleAskWhileTheEngineWrites runs rounds while two other processes and
// some goroutines file requests; none is lost and none looks like tampering.
func TestPeopleAskWhileTheEngineWrites(t *testing.T) {
	t.Parallel()
	e := opened(t)
	const people = 3
	asked := make(chan error, people+1)
	for n := range people {
		go func() {
			cmd := exec.Command(os.Args[0])
			cmd.Env = append(os.Environ(), "SESSION_TEST_DIR="+e.store.Dir, "SESSION_TEST_ID="+e.ID(), fmt.Sprintf("SESSION_TEST_NAME=p%d", n))
			out, err := cmd.CombinedOutput()
			if err != nil {
				err = fmt.Errorf("%w: %s", err, out)
			}
			asked <- err
		}()
	}
	go func() {
		var err error
		for n := 0; n < 10 && err == nil; n++ {
			_, err = e.store.Ask(context.Background(), e.ID(), session.Request{Kind: session.RequestUpdate, Text: fmt.Sprint("g", n), At: moment})
		}
		asked <- err
	}()
	left := people + 1
	for left > 0 {
		select {
		case err := <-asked:
			if err != nil {
				t.Fatal(err)
			}
			left--
		default:
		}
		if d := e.finish(e.begin(), session.Continue, session.CheckNone); !d.Continues() {
			t.Fatalf("got %+v", d.Stop)
		}
	}
	e.ask(session.Request{Kind: session.RequestStop, Text: "enough"})
	if d := e.finish(e.begin(), session.Continue, session.CheckNone); d.Stop == nil || d.Stop.StopReason != session.StopRequested {
		t.Errorf("got %+v", d.Stop)
	}
	updates := []byte(e.get("updates.md"))
	if n := bytes.Count(updates, []byte("## ")); n != (people+1)*10 {
		t.Errorf("%d updates arrived of %d", n, (people+1)*10)
	}
	if s := e.c.State(); s.Requests != (people+1)*10+1 {
		t.Errorf("the state knows %d requests", s.Requests)
	}
}
