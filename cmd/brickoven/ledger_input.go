package main

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/brickoven/brickoven/bricks/ledger"
)

// maxLedgerInput bounds one input file; a packet or a contract larger than this
// is a mistake.
const maxLedgerInput = 64 << 20

// readInput reads a file named on the command line, - being standard input. It
// names the file in its errors.
func (l *ledgerCommand) readInput(path string) (data []byte, err error) {
	from := l.app.in
	if path != "-" {
		file, err := os.Open(path)
		if err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, file.Close()) }()
		from = file
	}
	data, err = io.ReadAll(io.LimitReader(from, maxLedgerInput+1))
	if err == nil && len(data) > maxLedgerInput {
		err = errors.New("the file is too large")
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return data, nil
}

// readExhibit reads an input that a packet or a baseline rests on: what can not
// be read, or is blank, is refused with exit code 8.
func (l *ledgerCommand) readExhibit(flag, path string) ([]byte, error) {
	data, err := l.readInput(path)
	if err != nil {
		return nil, &ledger.Refusal{Code: ledger.InputUnreadable, Message: fmt.Sprintf("--%s: %s", flag, err), Err: err}
	}
	if blankInput(data) {
		return nil, &ledger.Refusal{Code: ledger.InputUnreadable, Message: fmt.Sprintf("--%s: %s is empty", flag, path)}
	}
	return data, nil
}

func blankInput(data []byte) bool {
	for _, c := range data {
		if c != ' ' && c != '\t' && c != '\r' && c != '\n' {
			return false
		}
	}
	return true
}
