package main

import (
	"encoding/json"
	"errors"
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
		text := a.getenv(name)
		if text == "" {
			fmt.Fprintf(a.err, "Warning: the secret %s is not set\n", name)
			continue
		}
		secrets[name] = text
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
func (a *app) unsealer(start journal.RunStarted) local.Unseal {
	if !isSealed(start) {
		return nil
	}
	return func(v any) (any, error) {
		return mask.Unseal(v, func(name string) (string, bool) {
			text := a.getenv(name)
			return text, text != ""
		})
	}
}

// isSealed tells whether a journal is sealed.
func isSealed(start journal.RunStarted) bool {
	var set struct {
		Secrets []string `json:"secrets"`
	}
	return json.Unmarshal(start.Options, &set) == nil && len(set.Secrets) > 0
}

// hide takes the secrets out of an error and leaves its exit code.
func hide(masker *mask.Masker, err error) error {
	var fail *failure
	if err == nil || masker == nil || errors.As(err, &fail) && fail.Err == nil {
		return err
	}
	hidden := errors.New(masker.Text(err.Error()))
	if fail == nil {
		return hidden
	}
	return &failure{fail.Code, hidden}
}

// showSealed gives what is sealed in a journal for people; first is the
// journal's first record, which tells whether anything is.
func showSealed(first journal.Record) local.Unseal {
	started, err := first.RunStarted(nil)
	if err != nil || !isSealed(started) {
		return nil
	}
	return func(v any) (any, error) { return mask.Show(v), nil }
}
