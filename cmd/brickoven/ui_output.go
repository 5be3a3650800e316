package main

import (
	"errors"
	"io"
	"net/http"
	"os"

	"github.com/brickoven/brickoven/runner/local"
	"github.com/brickoven/brickoven/runner/report"
)

// log answers with the whole output of one action, byte for byte.
func (v *viewer) log(w http.ResponseWriter, r *http.Request, id string) error {
	dir, err := v.folder(id)
	if err != nil {
		return err
	}
	steps, err := readSteps(dir)
	if err != nil {
		return err
	}
	for _, st := range steps {
		for _, action := range st.Actions {
			if action.ID == r.URL.Query().Get("action") {
				return v.output(w, r, dir, action)
			}
		}
	}
	return &refusal{http.StatusNotFound, "the run has no such output"}
}

func (v *viewer) output(w http.ResponseWriter, r *http.Request, dir string, action *local.ActionRecord) (err error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	ref, stderr := action.Stdout, r.URL.Query().Get("stderr") == "1"
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
		return err
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	if r.Method == http.MethodHead {
		return nil
	}
	// A reader that goes away is no fault of the server.
	if text == nil {
		if action.Done && !stderr {
			_, _ = io.WriteString(w, action.Text)
		}
		return nil
	}
	_, _ = io.Copy(w, io.NewSectionReader(text, 0, size))
	return text.Close()
}
