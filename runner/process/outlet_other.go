//go:build !linux

package process

import (
	"context"
	"os"
)

// outlet is our end of an output pipe.
type outlet struct{ file *os.File }

func newOutlet() (ours *outlet, child *os.File, err error) {
	r, w, err := os.Pipe()
	return &outlet{r}, w, err
}

func (o *outlet) open() error { return nil }

// Close closes the pipe.
func (o *outlet) Close() error { return o.file.Close() }

func (o *outlet) grow() {}

// waiting is how many bytes lie in a pipe, which this system is not asked for:
// what a slow writer of ours has not read when the drain is over is lost.
func (o *outlet) waiting() int64 { return 0 }

func (c *child) attend(ctx context.Context, e *Exit) (ended bool) { return c.attendApart(ctx, e) }
