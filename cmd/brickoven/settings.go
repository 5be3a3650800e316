package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/brickoven/brickoven/recipes"
	"github.com/brickoven/brickoven/runner"
	"github.com/brickoven/brickoven/runner/agent"
	"github.com/brickoven/brickoven/runner/exit"
	"github.com/brickoven/brickoven/runner/guard"
	"github.com/brickoven/brickoven/runner/local"
	"github.com/brickoven/brickoven/runner/mask"
	"github.com/brickoven/brickoven/runner/process"
)

// settings are what a run was started with beside its recipe and variables. The
// journal keeps them, so that a resumed run goes on as it began.
type settings struct {
	WorkDir     string   `json:"work_dir"`
	IncludeTags []string `json:"include_tags,omitempty"`
	ExcludeTags []string `json:"exclude_tags,omitempty"`
	DryRun      bool     `json:"dry_run,omitempty"`
	MaxParallel int      `json:"max_parallel,omitempty"`
	Strict      bool     `json:"strict,omitempty"`
	Foreign     []string `json:"allow_foreign,omitempty"`
	Agent       []string `json:"agent,omitempty"`
	// Agents is agents: of the configuration.
	Agents map[string]any `json:"agents,omitempty"`
	Stubs  []*local.Stub  `json:"stubs,omitempty"`
	// Record and Replay are the folders that answers of agents are kept in, or
	// played back from; absolute.
	Record string `json:"record,omitempty"`
	Replay string `json:"replay,omitempty"`
	// Secrets names the variables whose values are masked. Where there are any,
	// the journal is sealed.
	Secrets []string `json:"secrets,omitempty"`
	// Personas are the texts of the personas that steps name.
	Personas  map[string]string  `json:"personas,omitempty"`
	Recording *recipes.Recording `json:"recording"`

	masker *mask.Masker // of the secrets; nil without any
	// resumed tells that the run is resumed, and goOn that loops that had ended
	// without their goal go on.
	resumed, goOn bool
	// handed are the work trees that a person accepted by hand since.
	handed map[string][]runner.Tree
	// raised are the limits of the brakes that a person raised.
	raised map[string]any
}

func (a *app) settings(o *runOptions, tree *recipes.Tree) (*settings, error) {
	work, err := filepath.Abs(o.workDir)
	if err != nil {
		return nil, err
	}
	command, err := a.agentCommand(o, work)
	if err != nil {
		return nil, err
	}
	agents, err := configuredAgents(work)
	if err != nil {
		return nil, err
	}
	stubs, err := readStubs(o)
	if err != nil {
		return nil, err
	}
	record, replay, err := o.recordings()
	if err != nil {
		return nil, err
	}
	set := &settings{
		WorkDir: work, IncludeTags: o.includeTags, ExcludeTags: o.excludeTags, DryRun: o.dryRun,
		MaxParallel: o.maxParallel, Strict: o.strict, Foreign: o.foreign, Agent: command, Agents: agents, Stubs: stubs,
		Record: record, Replay: replay,
		Secrets: secretNames(o, tree), Personas: readPersonas(tree, a.personas(tree, work)), Recording: tree.Recording,
	}
	set.masker = a.masker(set)
	return set, nil
}

// readPersonas reads the personas of all steps before the first of them runs, so
// that no step can change what a later one is told.
func readPersonas(tree *recipes.Tree, find func(name string) (string, bool)) map[string]string {
	texts := map[string]string{}
	for _, r := range tree.All {
		for _, st := range slices.Concat(r.Steps, r.Finally) {
			if st.Persona == "" {
				continue
			}
			if text, ok := find(st.Persona); ok {
				texts[st.Persona] = text
			}
		}
	}
	return texts
}

func (set *settings) persona(name string) (text string, ok bool) {
	text, ok = set.Personas[name]
	return text, ok
}

// options are the settings as the decisions take them.
func (set *settings) options(vars []recipes.Variable, stubs *local.Stubs) runner.Options {
	return runner.Options{
		Vars: vars, IncludeTags: set.IncludeTags, ExcludeTags: set.ExcludeTags,
		DryRun: set.DryRun, MaxParallel: set.MaxParallel, Stubbed: stubs.Has, Patience: set.patience,
	}
}

// machine sets up the executor of a run.
func (a *app) machine(set *settings, tree *recipes.Tree, id string, store *local.Store) (*local.Machine, error) {
	stubs, err := local.NewStubs(tree, set.Stubs)
	if err != nil {
		return nil, &failure{exit.Usage, err}
	}
	watch := guard.New(a.getenv)
	if err := watch.Nesting(); err != nil {
		return nil, &failure{exit.Refused, err}
	}
	family, err := process.Adopt()
	if err != nil {
		return nil, &failure{exit.Failed, err}
	}
	configured := set.configured()
	if _, err := agent.ParseSettings(configured); err != nil {
		return nil, &failure{exit.Usage, fmt.Errorf(".brickoven/config.yaml: %w", err)}
	}
	sessions := a.loopSessions(set, id, store)
	m := &local.Machine{
		WorkDir: set.WorkDir, Base: append(a.baseEnvironment(id, store.Dir), watch.Environment()...),
		Family: family, Mask: set.masker, Store: store, Natives: natives(), Stubs: stubs, Guard: watch, Strict: set.Strict,
		Ledgers: a.loopLedgers(set, store), Sessions: sessions,
		Agents: local.Agents{Command: set.Agent, Persona: set.persona, Builtin: builtinAgents(), Configured: configured, Digest: set.digest},
	}
	m.Trees, sessions.git = newLoopTrees(m, id), m.FeedGit
	return m, set.keepAnswers(m, nil)
}

// errNoSettings tells that a journal was not written by run.
var errNoSettings = errors.New("the journal does not hold what the run was started with")
