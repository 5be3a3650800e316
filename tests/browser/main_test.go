// Package browser looks at the pages of brickoven in a real Chromium. It is a
// module of its own, so that what drives the browser does not get into the
// program's.
package browser

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"
)

var (
	// binary is the program under test, and chrome the browser, whose tabs the
	// tests open.
	binary string
	chrome context.Context
)

func TestMain(m *testing.M) {
	code, err := runTests(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

func runTests(m *testing.M) (code int, err error) {
	dir, err := os.MkdirTemp("", "brickoven-browser-*")
	if err != nil {
		return 1, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	binary = filepath.Join(dir, "brickoven")
	build := exec.Command("go", "build", "-o", binary, "./cmd/brickoven")
	build.Dir = filepath.Join("..", "..")
	if out, err := build.CombinedOutput(); err != nil {
		return 1, fmt.Errorf("building the program under test: %w\n%s", err, out)
	}
	program, err := findChromium()
	if err != nil {
		return 1, err
	}
	options := []chromedp.ExecAllocatorOption{chromedp.Headless, chromedp.ExecPath(program), chromedp.DisableGPU}
	if os.Geteuid() == 0 {
		// Chromium's sandbox does not work for root.
		options = append(options, chromedp.NoSandbox)
	}
	ctx, stop := chromedp.NewExecAllocator(context.Background(), options...)
	defer stop()
	var end context.CancelFunc
	chrome, end = chromedp.NewContext(ctx)
	defer end()
	if err := chromedp.Do(chrome, chromedp.Navigate("about:blank")); err != nil {
		return 1, fmt.Errorf("starting %s: %w", program, err)
	}
	return m.Run(), nil
}

// findChromium gives the browser: $CHROMIUM, or the first of the usual names.
func findChromium() (string, error) {
	if program := os.Getenv("CHROMIUM"); program != "" {
		return program, nil
	}
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if program, err := exec.LookPath(name); err == nil {
			return program, nil
		}
	}
	return "", errors.New("no Chromium was found: make test-browser installs Debian's, and $CHROMIUM names another")
}
