package agent

import (
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
}

// Record makes calls through next and keeps each answer in a file of its own
// under dir, for [Replay]. Prompts and answers are kept as they are; the files
// are private to the user. It is safe for concurrent use.
func Record(dir string, next Caller) Caller {
	var mu sync.Mutex
	count := map[string]int{}
	return func(ctx context.Context, req Request) (Answer, error) {
		a, err := next(ctx, req)
		if err != nil {
			return a, err
		}
		r := recording{Step: req.Step, SHA256: hash(req.Prompt), Prompt: req.Prompt, Agent: req.Agent.Name, Answer: a}
		mu.Lock()
		defer mu.Unlock()
		key := req.Step + "\x00" + r.SHA256
		count[key]++
		r.Number = count[key]
		if err := r.save(dir); err != nil {
			return a, fmt.Errorf("recording the answer of %s: %w", req.Step, err)
		}
		return a, nil
	}
}

func (r recording) save(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	data, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	name := fmt.Sprintf("%s-%s-%d.json", fileName(r.Step), hash(r.Step + "\x00" + r.Prompt)[:16], r.Number)
	return os.WriteFile(filepath.Join(dir, name), append(data, '\n'), 0o600)
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

// Replay plays back what [Record] kept in dir, by step and prompt, the answers
// to the same prompt in their order. A call that was not recorded is a
// [*MissError]. It is safe for concurrent use.
func Replay(dir string) (Caller, error) {
	all, err := recordings(dir)
	if err != nil {
		return nil, fmt.Errorf("replay: %w", err)
	}
	var mu sync.Mutex
	played := map[string]int{}
	return func(_ context.Context, req Request) (Answer, error) {
		mu.Lock()
		defer mu.Unlock()
		sum := hash(req.Prompt)
		key := req.Step + "\x00" + sum
		for _, r := range all {
			if r.Step == req.Step && r.SHA256 == sum && r.Number == played[key]+1 {
				played[key]++
				return r.Answer, nil
			}
		}
		return Answer{}, miss(all, req, played[key])
	}, nil
}

// recordings reads a folder of recordings.
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
		all = append(all, r)
	}
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
