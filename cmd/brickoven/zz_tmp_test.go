package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"brickoven": func() {
		a := &app{environ: os.Environ(), in: os.Stdin, out: os.Stdout, err: os.Stderr}
		cmd := newLedgerCommand(a)
		cmd.SetArgs(os.Args[2:])
		err := cmd.ExecuteContext(context.Background())
		var f *failure
		if errors.As(err, &f) {
			fmt.Fprintln(os.Stderr, f)
			os.Exit(f.Code)
		}
	}})
}

func TestZZScripts(t *testing.T) {
	files, _ := filepath.Glob("../../tests/testdata/script/ledger_*.txtar")
	testscript.Run(t, testscript.Params{Files: files})
}
