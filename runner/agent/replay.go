package agent

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// recording is one call in a folder of recordings.
type recording struct {
	Step string `json:"step"`
	// Number counts the calls of a step with the same prompt, from 1.
	Number int    `json:"number"`
	SHA256 string `json:"prompt_sha256"`
	Prompt string `json:"prompt"`
	Agent  string `json:"agent"`
	Answer Answer `json:"answer"`

	file string // its name in the folder
}

// Record makes calls through next and keeps each answer in a file of its own
// under dir, for [Replay], after those that are there. Prompts and answers are
// kept as they are; the files are private to the user. What the caller cancelled
// is no answer. It is safe for concurrent use.
func Record(dir string, next Caller) Caller {
	var mu sync.Mutex
	return func(ctx context.Context, req Request) (Answer, error) {
		a, err := next(ctx, req)
		if err != nil || a.Exit.Cancelled {
			return a, err
		}
		r := recording{Step: req.Step, Number: 1, SHA256: hash(req.Prompt), Prompt: req.Prompt, Agent: req.Agent.Name, Answer: a}
		mu.Lock()
		defer mu.Unlock()
		if err := r.save(dir); err != nil {
			return a, fmt.Errorf("recording the answer of %s: %w", req.Step, err)
		}
		return a, nil
	}
}

// save keeps a recording under the first number that is free.
func (r recording) save(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	for ; ; r.Number++ {
		name := fmt.Sprintf("%s-%s-%d.json", fileName(r.Step), hash(r.Step + "\x00" + r.Prompt)[:16], r.Number)
		file, err := os.OpenFile(filepath.Join(dir, name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return err
		}
		data, err := json.MarshalIndent(r, "", "  ")
		if err == nil {
			_, err = file.Write(append(data, '\n'))
		}
		return errors.Join(err, file.Close())
	}
}

// MissError tells that no answer was recorded for a call.
type MissError struct {
	Step string
	// Prompt is what was asked, Nearest what was recorded of the same step that
	// resembles it most; empty where nothing was.
	Prompt, Nearest string
	// Played counts the answers to this very prompt that were played already.
	Played int
	// Steps are the steps that there are recordings of.
	Steps []string
}

func (e *MissError) Error() string {
	head := fmt.Sprintf("replay: no answer is recorded for step %s", e.Step)
	switch {
	case e.Played > 0:
		return fmt.Sprintf("%s any more: all %d answers to this prompt were played", head, e.Played)
	case e.Nearest == "" && len(e.Steps) == 0:
		return head + ": the folder holds no recordings"
	case e.Nearest == "":
		return head + "; there are recordings of " + strings.Join(e.Steps, ", ")
	}
	return head + " with this prompt. It differs from the recorded one:\n" + difference(e.Nearest, e.Prompt)
}

// A Player plays back what [Record] kept in a folder. It is safe for concurrent
// use.
type Player struct {
	mu     sync.Mutex
	all    []recording
	played map[string]bool // by file
}

// Replay reads the recordings in dir. Those whose names are in played, as
// [Answer.Recording] has them, were played before, by a run that now goes on.
func Replay(dir string, played ...string) (*Player, error) {
	all, err := recordings(dir)
	if err != nil {
		return nil, fmt.Errorf("replay: %w", err)
	}
	p := &Player{all: all, played: map[string]bool{}}
	for _, file := range played {
		p.played[file] = true
	}
	return p, nil
}

// Has reports whether there is a recording of a step.
func (p *Player) Has(step string) bool {
	return slices.ContainsFunc(p.all, func(r recording) bool { return r.Step == step })
}

// Call is a [Caller] that gives the recorded answer by step and prompt, the
// answers to the same prompt in their order. A call that was not recorded is a
// [*MissError].
func (p *Player) Call(_ context.Context, req Request) (Answer, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	sum, count := hash(req.Prompt), 0
	for _, r := range p.all {
		if r.Step != req.Step || r.SHA256 != sum {
			continue
		}
		if !p.played[r.file] {
			p.played[r.file] = true
			r.Answer.Recording = r.file
			return r.Answer, nil
		}
		count++
	}
	return Answer{}, miss(p.all, req, count)
}

// recordings reads a folder of recordings, in the order of their numbers.
func recordings(dir string) ([]recording, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var all []recording
	for _, entry := range entries {
		if filepath.Ext(entry.Name()) != ".json" || entry.IsDir() {
			continue
		}
		data, err := os.ReadFile(filepath.Join(dir, entry.Name()))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		var r recording
		if err == nil {
			err = json.Unmarshal(data, &r)
		}
		if err == nil && r.SHA256 != hash(r.Prompt) {
			err = errors.New("the prompt does not fit its hash")
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", entry.Name(), err)
		}
		r.file = entry.Name()
		all = append(all, r)
	}
	slices.SortStableFunc(all, func(a, b recording) int { return cmp.Compare(a.Number, b.Number) })
	return all, nil
}

func miss(all []recording, req Request, played int) *MissError {
	e := &MissError{Step: req.Step, Prompt: req.Prompt, Played: played}
	best := -1
	for _, r := range all {
		if !slices.Contains(e.Steps, r.Step) {
			e.Steps = append(e.Steps, r.Step)
		}
		if r.Step != req.Step {
			continue
		}
		if same := shared(r.Prompt, req.Prompt); same > best {
			best, e.Nearest = same, r.Prompt
		}
	}
	return e
}

// shared counts the bytes that two texts have in common at their beginnings and
// ends.
func shared(a, b string) int {
	n := min(len(a), len(b))
	from := 0
	for from < n && a[from] == b[from] {
		from++
	}
	to := 0
	for to < n-from && a[len(a)-1-to] == b[len(b)-1-to] {
		to++
	}
	return from + to
}

// difference shows the lines that two texts do not share, without what is equal
// before and after them.
func difference(recorded, asked string) string {
	was, is := strings.Split(recorded, "\n"), strings.Split(asked, "\n")
	from := 0
	for from < min(len(was), len(is)) && was[from] == is[from] {
		from++
	}
	to := 0
	for to < min(len(was), len(is))-from && was[len(was)-1-to] == is[len(is)-1-to] {
		to++
	}
	var b strings.Builder
	fmt.Fprintf(&b, "@@ line %d @@", from+1)
	show(&b, "-", was[from:len(was)-to])
	show(&b, "+", is[from:len(is)-to])
	return b.String()
}

func show(b *strings.Builder, sign string, lines []string) {
	const most, wide = 10, 200
	for i, line := range lines {
		if i == most {
			fmt.Fprintf(b, "\n%s ... %d more lines", sign, len(lines)-most)
			return
		}
		if len(line) > wide {
			line = strings.ToValidUTF8(line[:wide], "") + " ..."
		}
		b.WriteString("\n" + sign + line)
	}
}

func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// fileName spells a step's path as one element of a file's name.
func fileName(step string) string {
	name := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '-', r == '_':
			return r
		}
		return '_'
	}, step)
	return name[:min(len(name), 80)]
}
