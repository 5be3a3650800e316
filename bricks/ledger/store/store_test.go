package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/brickoven/brickoven/bricks/ledger"
)

const contractText = `{"purpose":"p","owner":"o","starting_state":"s","inputs":["i"],"expected_outputs":["x"],"success_criteria":["c"],
 "failure_criteria":["f"],"dependencies":["d"],"iteration_limit":1000000,"timeout_behaviour":"t","escalation_path":"e",
 "quality_rubric":[{"dimension":"q","evidence_command":"true","baseline":1,"target":0,"weight":1,"failure_threshold":1,"direction":"lower-is-better","hard_gate":true}]}`

type fataler interface {
	Helper()
	Fatalf(format string, args ...any)
}

func open(t fataler, s Store, discard bool) error {
	t.Helper()
	c, err := ledger.ReadContract([]byte(contractText), ledger.JSON, nil)
	if err != nil {
		t.Fatalf("the contract of the test: %v", err)
	}
	return s.Open(context.Background(), "s1", discard, func(previous *ledger.Ledger) (*ledger.Ledger, error) {
		return ledger.Begin(previous, ledger.Opening{Session: "s1", Contract: c, Time: time.Unix(0, 0)})
	})
}

func iterate(s Store, action string) error {
	return s.Update(context.Background(), "s1", func(l *ledger.Ledger) (*ledger.Ledger, error) {
		next, _, err := l.Record(ledger.Facts{Outcome: ledger.Continue, Actions: []string{action}, Time: time.Unix(0, 0)})
		return next, err
	})
}

func opened(t *testing.T) Store {
	t.Helper()
	s := Store{Dir: filepath.Join(t.TempDir(), "state", "ledgers")}
	if err := open(t, s, false); err != nil {
		t.Fatal(err)
	}
	return s
}

// TestMain lets the test binary stand in for another process that iterates.
func TestMain(m *testing.M) {
	if dir := os.Getenv("LEDGER_TEST_DIR"); dir != "" {
		from, _ := strconv.Atoi(os.Getenv("LEDGER_TEST_FROM"))
		for n := from; n < from+10; n++ {
			if err := iterate(Store{Dir: dir}, fmt.Sprintf("p%d", n)); err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func TestAHundredConcurrentIterationsLoseNothing(t *testing.T) {
	t.Parallel()
	s := opened(t)
	var wait sync.WaitGroup
	failures := make(chan error, 100)
	for n := range 6 {
		wait.Go(func() {
			cmd := exec.Command(os.Args[0])
			cmd.Env = append(os.Environ(), "LEDGER_TEST_DIR="+s.Dir, fmt.Sprintf("LEDGER_TEST_FROM=%d", n*10))
			if out, err := cmd.CombinedOutput(); err != nil {
				failures <- fmt.Errorf("%w: %s", err, out)
			}
		})
	}
	for n := range 40 {
		wait.Go(func() {
			if err := iterate(Store{Dir: s.Dir}, fmt.Sprintf("g%d", n)); err != nil {
				failures <- err
			}
		})
	}
	wait.Wait()
	close(failures)
	for err := range failures {
		t.Error(err)
	}
	l, err := s.Read("s1")
	if err != nil || l.Len() != 100 || len(l.Completed) != 100 {
		t.Fatalf("got %d iterations, %d actions, %v", l.Len(), len(l.Completed), err)
	}
	data, err := os.ReadFile(filepath.Join(s.Dir, "s1.json"))
	if err != nil {
		t.Fatal(err)
	}
	if findings := ledger.Check(data); len(findings) > 0 {
		t.Error(findings)
	}
}

func wantUnusable(t *testing.T, err error, text string) {
	t.Helper()
	var refusal *ledger.Refusal
	if !errors.As(err, &refusal) || refusal.Code != ledger.Unusable || !strings.Contains(err.Error(), text) {
		t.Errorf("got %v, want a refusal that says %q", err, text)
	}
}

func TestACorruptLedgerIsRefusedAndUntouched(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{"half": `{"schema":1,`, "empty": "", "null": "null", "foreign": strings.Replace(contractText, "purpose", "x", 1)} {
		s := opened(t)
		path := filepath.Join(s.Dir, "s1.json")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		wantUnusable(t, open(t, s, false), path)
		wantUnusable(t, iterate(s, "a"), path)
		_, err := s.Read("s1")
		wantUnusable(t, err, path)
		if after, err := os.ReadFile(path); err != nil || string(after) != text {
			t.Errorf("%s: the file is now %q, %v", name, after, err)
		}
		if err := open(t, s, true); err != nil {
			t.Errorf("discarding: %v", err)
		}
		if l, err := s.Read("s1"); err != nil || l.Epoch != 1 {
			t.Errorf("after discarding: %v", err)
		}
	}
}

func TestALedgerOfAnotherSessionIsRefused(t *testing.T) {
	t.Parallel()
	s := opened(t)
	data, err := os.ReadFile(filepath.Join(s.Dir, "s1.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(s.Dir, "s2.json"), data, 0o600); err != nil {
		t.Fatal(err)
	}
	_, err = s.Read("s2")
	wantUnusable(t, err, "is the ledger of session s1")
}

func TestASessionIDIsNeverAPath(t *testing.T) {
	t.Parallel()
	s := opened(t)
	for _, id := range []string{"../s1", "a/b", "..", "", `a\b`, "/etc/passwd"} {
		if _, err := s.Path(id); err == nil {
			t.Errorf("%q is accepted", id)
		}
		if _, err := s.Read(id); err == nil {
			t.Errorf("%q is read", id)
		}
		if err := s.Open(context.Background(), id, true, nil); err == nil {
			t.Errorf("%q is opened", id)
		}
	}
}

func TestAMissingLedgerIsToldApart(t *testing.T) {
	t.Parallel()
	_, err := Store{Dir: t.TempDir()}.Read("s1")
	wantUnusable(t, err, "there is no ledger for session s1")
	if !errors.Is(err, fs.ErrNotExist) {
		t.Error("it is not fs.ErrNotExist")
	}
}

func TestFilesArePrivateAndListed(t *testing.T) {
	t.Parallel()
	s := opened(t)
	if err := iterate(s, "a"); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]os.FileMode{s.Dir: 0o700, filepath.Join(s.Dir, "s1.json"): 0o600, filepath.Join(s.Dir, "s1.lock"): 0o600} {
		info, err := os.Stat(path)
		if err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v, %v", path, info.Mode(), err)
		}
	}
	files, err := s.Files()
	if err != nil || len(files) != 1 || filepath.Base(files[0]) != "s1.json" {
		t.Errorf("got %v, %v", files, err)
	}
	if files, err := (Store{Dir: filepath.Join(s.Dir, "none")}).Files(); err != nil || len(files) != 0 {
		t.Errorf("got %v, %v", files, err)
	}
}

func TestAWriterThatGivesUpLeavesTheLedger(t *testing.T) {
	t.Parallel()
	s := opened(t)
	inside, ctx := make(chan struct{}), context.Background()
	release := make(chan struct{})
	done := make(chan error)
	go func() {
		done <- s.Update(ctx, "s1", func(l *ledger.Ledger) (*ledger.Ledger, error) {
			close(inside)
			<-release
			return l, nil
		})
	}()
	<-inside
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	err := s.Update(cancelled, "s1", func(*ledger.Ledger) (*ledger.Ledger, error) { panic("the lock is taken") })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	close(release)
	if err := <-done; err != nil {
		t.Error(err)
	}
}

func TestPlacesResolveProgramsAndFiles(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	for name, mode := range map[string]os.FileMode{"bin/tool": 0o755, "bin/data": 0o644, "sub/check.sh": 0o644} {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, mode); err != nil {
			t.Fatal(err)
		}
	}
	p := Places{Root: root, Path: filepath.Join(root, "bin") + string(os.PathListSeparator)}
	for _, test := range []struct {
		dir, name string
		want      bool
	}{{"", "tool", true}, {"", "data", false}, {"", "nowhere", false}, {"", "./sub/check.sh", true}, {"sub", "./check.sh", true}, {"sub", "check.sh", true},
		{"", "./check.sh", false}, {"", filepath.Join(root, "bin/tool"), true}, {"", "bin", false}, {filepath.Join(root, "sub"), "./check.sh", true}, {"", "sub/tool", false}} {
		if got := p.Program(test.dir, test.name); got != test.want {
			t.Errorf("%q in %q: got %v", test.name, test.dir, got)
		}
	}
	if (Places{Root: root}).Program("", "tool") {
		t.Error("an empty PATH resolves a program")
	}
	windows := Places{Root: root, Path: filepath.Join(root, "sub"), Extensions: []string{".exe", ".sh"}}
	if !windows.Program("", "check") {
		t.Error("an extension is not tried")
	}
}

// BenchmarkIterateOverTenThousand is one whole iterate over a ledger of 10,000
// iterations: lock, read, record, write, sync.
func BenchmarkIterateOverTenThousand(b *testing.B) {
	s := Store{Dir: b.TempDir()}
	if err := open(b, s, false); err != nil {
		b.Fatal(err)
	}
	err := s.Update(context.Background(), "s1", func(l *ledger.Ledger) (*ledger.Ledger, error) {
		for n := range 10_000 {
			var err error
			l, _, err = l.Record(ledger.Facts{Outcome: ledger.Continue, Actions: []string{fmt.Sprint("a", n)}, Error: fmt.Sprint("e", 'a'+n%26),
				State: fmt.Sprint(n), Measured: []ledger.Measurement{{Dimension: "q", Value: "0"}}, Time: time.Unix(0, 0)})
			if err != nil {
				return nil, err
			}
		}
		return l, nil
	})
	if err != nil {
		b.Fatal(err)
	}
	n := 0
	for b.Loop() {
		n++
		if err := iterate(s, fmt.Sprint("more", n)); err != nil {
			b.Fatal(err)
		}
	}
}
