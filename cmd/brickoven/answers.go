package main

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"sync"

	"github.com/brickoven/brickoven/recipes"
	"github.com/brickoven/brickoven/recipes/value"
	"github.com/brickoven/brickoven/runner"
	"github.com/brickoven/brickoven/runner/agent"
	"github.com/brickoven/brickoven/runner/exit"
	"github.com/brickoven/brickoven/runner/local"
)

// recordings are the folders of --record and --replay, absolute; empty where they
// were not given.
func (o *runOptions) recordings() (record, replay string, err error) {
	if o.record != "" && o.replay != "" {
		return "", "", errors.New("--record and --replay are alternatives")
	}
	for _, dir := range []struct {
		flag, given string
		into        *string
	}{{"--record", o.record, &record}, {"--replay", o.replay, &replay}} {
		if dir.given == "" {
			continue
		}
		if *dir.into, err = filepath.Abs(dir.given); err != nil {
			return "", "", fmt.Errorf("%s: %w", dir.flag, err)
		}
	}
	// Answers of two runs in one folder would be played back as those of one.
	if found, err := filepath.Glob(filepath.Join(escapeGlob(record), "*.json")); record != "" && (err != nil || len(found) > 0) {
		return "", "", errors.Join(fmt.Errorf("--record: %s holds recordings already; name another folder, or remove them", record), err)
	}
	return record, replay, nil
}

// escapeGlob spells a path so that a pattern takes it literally.
func escapeGlob(path string) string {
	var escaped []rune
	for _, r := range path {
		switch r {
		case '*', '?', '[', '\\':
			escaped = append(escaped, '\\')
		}
		escaped = append(escaped, r)
	}
	return string(escaped)
}

// keepAnswers has the calls of agents recorded or played back, as the run was
// told to. played names the recordings that it has played already.
func (set *settings) keepAnswers(m *local.Machine, played []string) error {
	switch {
	case set.Record != "":
		m.Agents.Call = agent.Record(set.Record, agent.Call)
	case set.Replay != "":
		player, err := agent.Replay(set.Replay, played...)
		if err != nil {
			return &failure{exit.Usage, err}
		}
		m.Agents.Call, m.Agents.Recorded = player.Call, player.Has
	}
	return nil
}

// configured is agents: of the configuration as values.
func (set *settings) configured() map[string]any {
	configured, _ := value.From(set.Agents).(map[string]any)
	return configured
}

// agentCheck reads agents: of recipes over that of the configuration around a
// folder. What is wrong with the configuration itself is told when a run starts.
func (a *app) agentCheck(workDir string) recipes.AgentCheck {
	configured := sync.OnceValues(func() (map[string]any, error) { return readableAgents(workDir) })
	return func(agents map[string]any) (names []string, at string, err error) {
		ofProject, err := configured()
		if err != nil {
			return nil, "", nil
		}
		s, err := agent.ParseSettings(ofProject, agents)
		var fault *agent.SettingError
		if errors.As(err, &fault) {
			return nil, fault.Path, err
		}
		if err != nil {
			return nil, "", err
		}
		return slices.Concat(s.Names(), slices.Sorted(maps.Keys(builtinAgents())), []string{local.AgentAuto}), "", nil
	}
}

// readableAgents is what the project's configuration says about agents, where it
// makes sense by itself.
func readableAgents(workDir string) (map[string]any, error) {
	work, err := filepath.Abs(workDir)
	if err != nil {
		return nil, err
	}
	found, err := configuredAgents(work)
	if err != nil {
		return nil, err
	}
	configured, _ := value.From(found).(map[string]any)
	_, err = agent.ParseSettings(configured)
	return configured, err
}

// patience is what agents: says about waiting, the recipe's over the
// configuration's. What cannot be read keeps the steps from running anyway.
func (set *settings) patience(r *recipes.Recipe) runner.Patience {
	s, err := agent.ParseSettings(set.configured(), r.Agents)
	if err != nil {
		return runner.Patience{}
	}
	q := s.OnQuota
	p := runner.Patience{
		Attempts: s.Retry.Attempts, Delay: s.Retry.Delay, MaxDelay: s.Retry.MaxDelay,
		Quota: runner.QuotaPatience{UntilReset: q.Mode == agent.UntilReset, MaxWait: q.MaxWait, UnknownReset: q.UnknownReset, Jitter: q.Jitter},
	}
	if q.Mode == agent.Fixed {
		p.Quota.For = q.For
	}
	return p
}
