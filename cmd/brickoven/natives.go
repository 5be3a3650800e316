package main

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/brickoven/brickoven/bricks"
	"github.com/brickoven/brickoven/runner/local"
)

// natives are the functions that native steps may use, and builtinAgents the
// agents that need no model, for the executor. Only here do the runner and the
// bricks meet.
func natives() map[string]local.Native       { return adaptAll(bricks.Natives()) }
func builtinAgents() map[string]local.Native { return adaptAll(bricks.Agents()) }

func adaptAll(functions map[string]bricks.Native) map[string]local.Native {
	list := make(map[string]local.Native, len(functions))
	for name, fn := range functions {
		list[name] = adapt(fn)
	}
	return list
}

func adapt(fn bricks.Native) local.Native {
	return func(ctx context.Context, call local.Call) (local.NativeResult, error) {
		inside := func(dir string) string {
			if filepath.IsAbs(dir) {
				return dir
			}
			return filepath.Join(call.Dir, dir)
		}
		res, err := fn(ctx, bricks.Call{
			Inputs: call.Inputs,
			Git:    func(dir string, args ...string) (string, error) { return call.Git(inside(dir), args...) },
			Files:  func(dir string) fs.FS { return os.DirFS(inside(dir)) },
		})
		return local.NativeResult(res), err
	}
}
