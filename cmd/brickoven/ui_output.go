package main

import (
	"errors"
	"io"
	"os"

	"github.com/brickoven/brickoven/runner/local"
	"github.com/brickoven/brickoven/runner/report"
	"github.com/brickoven/brickoven/runner/report/web"
)

// log answers with the whole output of one action, byte for byte.
func (v *viewer) log(r *web.Request, id string) (*web.Answer, error) {
	dir, err := v.folder(id)
	if err != nil {
		return nil, err
	}
	steps, err := readSteps(dir)
	if err != nil {
		return nil, err
	}
	query := r.URL.Query()
	for _, st := range steps {
		for _, action := range st.Actions {
			if action.ID == query.Get("action") {
				return output(dir, action, query.Get("stderr") == "1")
			}
		}
	}
	return nil, &refusal{404, "the run has no such output"}
}

// output is what an action printed until now; its file stays open until the
// answer is sent.
func output(dir string, action *local.ActionRecord, stderr bool) (_ *web.Answer, err error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	ref := action.Stdout
	if stderr {
		ref = action.Stderr
	}
	var text report.Text
	var size int64
	switch {
	case !action.Done:
		text, size, err = liveText(root)(action.ID, stderr)
	case ref != nil:
		size = ref.Size
		text, err = storedText(root)(*ref)
	}
	if err != nil {
		return nil, err
	}
	if text == nil {
		if action.Done && !stderr {
			return web.Text(200, action.Text), nil
		}
		return web.Text(200, ""), nil
	}
	answer := web.Text(200, "")
	answer.Body, answer.Size = section{io.NewSectionReader(text, 0, size), text}, size
	return answer, nil
}

// section is a part of a file, which is closed with it.
type section struct {
	io.Reader
	io.Closer
}
