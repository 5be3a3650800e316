package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/brickoven/brickoven/recipes/contract"
	"github.com/brickoven/brickoven/recipes/value"
	"github.com/brickoven/brickoven/runner/process"
)

// scratch is the folder of one case: work is where the recipe runs, home is its
// home, and script holds what the scripted agent says.
type scratch struct {
	dir     string
	test    *contract.Case
	environ []string
}

func (s *scratch) work() string        { return filepath.Join(s.dir, "work") }
func (s *scratch) script() string      { return filepath.Join(s.dir, "script") }
func (s *scratch) contextFile() string { return filepath.Join(s.script(), "context.json") }
func (s *scratch) stubFile() string    { return filepath.Join(s.script(), "stubs.json") }
func (s *scratch) agentScript() string {
	return filepath.ToSlash(filepath.Join(s.script(), "agent.sh"))
}

// impatient is the configuration of a case that brings none of its own: what a
// scripted agent says does not get better by waiting.
const impatient = "agents: {retry: {attempts: 1}}\n"

// set makes everything that the case starts from.
func (s *scratch) set(ctx context.Context) error {
	for _, dir := range []string{s.work(), s.script(), filepath.Join(s.dir, "home"), filepath.Join(s.dir, ".brickoven")} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return err
		}
	}
	err := errors.Join(
		os.WriteFile(s.contextFile(), []byte(value.JSON(s.test.Context)), 0o600),
		os.WriteFile(s.stubFile(), []byte(value.JSON(s.test.Stubs)), 0o600),
		os.WriteFile(filepath.Join(s.dir, ".brickoven", "config.yaml"), []byte(impatient), 0o600),
		s.writeAgent())
	if err != nil {
		return err
	}
	if s.test.Git != nil {
		if err := s.repository(ctx, s.test.Git); err != nil {
			return err
		}
	}
	for _, name := range sortedNames(s.test.Files) {
		text := s.test.Files[name]
		if err := s.edit(name, &text); err != nil {
			return err
		}
	}
	return nil
}

func sortedNames[T any](m map[string]T) []string { return slices.Sorted(maps.Keys(m)) }

// edit writes a file of the working folder, or removes it.
func (s *scratch) edit(name string, text *string) error {
	path := filepath.Join(s.work(), filepath.FromSlash(name))
	if text == nil {
		return os.Remove(path)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(*text), 0o644)
}

// repository makes the working folder a git repository. Its commits carry fixed
// dates, so that their ids are the same in every run.
func (s *scratch) repository(ctx context.Context, g *contract.Git) error {
	if err := s.git(ctx, "init", "-q"); err != nil {
		return err
	}
	if err := s.git(ctx, "symbolic-ref", "HEAD", "refs/heads/"+g.Branch); err != nil {
		return err
	}
	commits := g.Commits
	if len(commits) == 0 {
		commits = []contract.Commit{{Message: "start"}}
	}
	for i, c := range commits {
		if err := s.commit(ctx, c, i); err != nil {
			return err
		}
	}
	if err := s.edits(ctx, g.Staged, true); err != nil {
		return err
	}
	return s.edits(ctx, g.Changes, false)
}

func (s *scratch) commit(ctx context.Context, c contract.Commit, n int) error {
	if err := s.edits(ctx, c.Files, false); err != nil {
		return err
	}
	if err := s.git(ctx, "add", "-A"); err != nil {
		return err
	}
	date := fmt.Sprintf("2026-01-01T00:%02d:%02dZ", n/60%60, n%60)
	dated := &scratch{dir: s.dir, environ: append(slices.Clone(s.environ), "GIT_AUTHOR_DATE="+date, "GIT_COMMITTER_DATE="+date)}
	if err := dated.git(ctx, "commit", "-q", "--allow-empty", "-m", c.Message); err != nil {
		return err
	}
	if c.Tag == "" {
		return nil
	}
	return s.git(ctx, "tag", "--", c.Tag)
}

func (s *scratch) edits(ctx context.Context, edits contract.Edits, stage bool) error {
	for _, name := range sortedNames(edits) {
		if err := s.edit(name, edits[name]); err != nil {
			return err
		}
		if !stage {
			continue
		}
		if err := s.git(ctx, "add", "-A", "--", name); err != nil {
			return err
		}
	}
	return nil
}

func (s *scratch) git(ctx context.Context, args ...string) error {
	var out bytes.Buffer
	end, err := process.Run(ctx, process.Spec{
		Argv: append([]string{"git"}, args...), Dir: s.work(), Env: s.environ, Stdout: &out, Stderr: &out,
	})
	if err == nil && end.Code != 0 {
		err = fmt.Errorf("exit %d: %s", end.Code, strings.TrimSpace(out.String()))
	}
	if err != nil {
		return fmt.Errorf("git %s: %w", strings.Join(args, " "), err)
	}
	return nil
}

// agentText is the scripted agent. Making a folder is the counter that two calls
// at once cannot both get. One answer alone serves every call.
const agentText = `work=$PWD
cd "$(dirname "$0")" || exit 1
n=0
until mkdir "call-$n" 2>/dev/null; do n=$((n + 1)); done
cat > "call-$n/prompt"
script=$PWD
answer=$n
[ -e every ] && answer=0
if [ ! -e "answer-$answer" ]; then
  echo "the scripted agent has no answer for call $((n + 1))" >&2
  exit 1
fi
cd "$work" || exit 1
if [ -e "$script/answer-$answer/command" ]; then bash "$script/answer-$answer/command" >&2 || exit; fi
cat "$script/answer-$answer/error" >&2
cat "$script/answer-$answer/output"
exit "$(cat "$script/answer-$answer/exit_code")"
`

func (s *scratch) writeAgent() error {
	if s.test.Agents == nil {
		return nil
	}
	files := map[string]string{"agent.sh": agentText}
	if s.test.Every {
		files["every"] = ""
	}
	for i, answer := range s.test.Agents {
		folder := fmt.Sprintf("answer-%d", i)
		files[filepath.Join(folder, "output")] = answer.Output
		files[filepath.Join(folder, "error")] = answer.Error
		files[filepath.Join(folder, "exit_code")] = fmt.Sprint(answer.ExitCode)
		if answer.Command != "" {
			files[filepath.Join(folder, "command")] = answer.Command
		}
	}
	for _, name := range sortedNames(files) {
		path := filepath.Join(s.script(), name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte(files[name]), 0o600); err != nil {
			return err
		}
	}
	return nil
}

// prompts are what the scripted agent was asked, call by call.
func (s *scratch) prompts() ([]string, error) {
	var list []string
	for n := 0; ; n++ {
		data, err := os.ReadFile(filepath.Join(s.script(), fmt.Sprintf("call-%d", n), "prompt"))
		if errors.Is(err, fs.ErrNotExist) {
			return list, nil
		}
		if err != nil {
			return nil, err
		}
		list = append(list, string(data))
	}
}
