package interpreter

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"mvdan.cc/sh/v3/interp"
)

// open opens the file of a redirection. The names of the shell's own streams
// mean those of the script, not those of this process.
func open(ctx context.Context, path string, flag int, perm os.FileMode) (io.ReadWriteCloser, error) {
	hc := interp.HandlerCtx(ctx)
	switch path {
	case "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0":
		return stream{in: hc.Stdin}, nil
	case "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1":
		return stream{out: hc.Stdout}, nil
	case "/dev/stderr", "/dev/fd/2", "/proc/self/fd/2":
		return stream{out: hc.Stderr}, nil
	}
	for _, place := range []string{"/dev/fd/", "/proc/self/", "/dev/tcp/", "/dev/udp/"} {
		if strings.HasPrefix(path, place) {
			return nil, &os.PathError{Op: "open", Path: path, Err: errors.ErrUnsupported}
		}
	}
	if path != "" && path != os.DevNull && !filepath.IsAbs(path) {
		path = filepath.Join(hc.Dir, path)
	}
	if info, err := os.Stat(path); err == nil && info.Mode()&fs.ModeNamedPipe != 0 {
		return openPipe(ctx, path, flag, perm)
	}
	return systemOpen(ctx, path, flag, perm)
}

var systemOpen = interp.DefaultOpenHandler()

// openPipe waits for the other end of a named pipe, or for the end of the
// script.
func openPipe(ctx context.Context, path string, flag int, perm os.FileMode) (io.ReadWriteCloser, error) {
	type opened struct {
		file *os.File
		err  error
	}
	done := make(chan opened)
	go func() {
		file, err := os.OpenFile(path, flag, perm)
		select {
		case done <- opened{file, err}:
		case <-ctx.Done():
			if err == nil {
				_ = file.Close()
			}
		}
	}()
	select {
	case o := <-done:
		if o.err != nil {
			return nil, o.err
		}
		return o.file, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// stream is one of the script's own streams under the name of a file. Closing it
// leaves the stream open.
type stream struct {
	in  io.Reader
	out io.Writer
}

func (s stream) Read(piece []byte) (int, error) {
	if s.in == nil {
		return 0, io.EOF
	}
	return s.in.Read(piece)
}

func (s stream) Write(piece []byte) (int, error) {
	if s.out == nil {
		return 0, fs.ErrPermission
	}
	return s.out.Write(piece)
}

func (stream) Close() error { return nil }
