package main

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/brickoven/brickoven/recipes"
	"github.com/brickoven/brickoven/runner/journal"
	"github.com/brickoven/brickoven/runner/local"
	"github.com/brickoven/brickoven/runner/mask"
)

// secretNames lists the environment variables that hold secrets: those of all
// recipes of the tree, and those of --mask-env.
func secretNames(o *runOptions, tree *recipes.Tree) []string {
	names := slices.Clone(o.maskEnv)
	for _, r := range tree.All {
		names = append(names, r.Secrets...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// masker makes the one masker of a run; nil without secrets. A secret that is
// not set, or too short to be told from innocent text, is reported.
func (a *app) masker(set *settings) *mask.Masker {
	if len(set.Secrets) == 0 {
		return nil
	}
	secrets := map[string]string{}
	for _, name := range set.Secrets {
		if text := a.getenv(name); text != "" {
			secrets[name] = text
		}
	}
	masker, warnings := mask.New(secrets)
	for _, w := range warnings {
		fmt.Fprintf(a.err, "Warning: %s\n", w)
	}
	return masker
}

// journalOptions say how the journal of a run is written.
func journalOptions(o *runOptions, masker *mask.Masker) journal.Options {
	opts := journal.Options{Durable: o.durable, Now: now}
	if masker != nil {
		opts.Seal = func(v any) any {
			sealed, _ := masker.Seal(v)
			return sealed
		}
	}
	return opts
}

// unsealer reads the secrets of a sealed journal again; nil for one that is not
// sealed. A secret that is not there any more is an error that names it.
func (a *app) unsealer(set *settings) local.Unseal {
	if len(set.Secrets) == 0 {
		return nil
	}
	return func(v any) (any, error) {
		return mask.Unseal(v, func(name string) (string, bool) {
			text := a.getenv(name)
			return text, text != ""
		})
	}
}

// showSealed gives what is sealed in a journal for people; first is the
// journal's first record, which tells whether anything is.
func showSealed(first journal.Record) local.Unseal {
	var set settings
	started, err := first.RunStarted(nil)
	if err != nil || json.Unmarshal(started.Options, &set) != nil || len(set.Secrets) == 0 {
		return nil
	}
	return func(v any) (any, error) { return mask.Show(v), nil }
}
