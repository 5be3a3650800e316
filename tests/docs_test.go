package tests

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// block is a fenced block of a page.
type block struct {
	line     int
	language string
	text     string
}

var fence = regexp.MustCompile("^```([a-z]*)$")

// blocksOf reads the fenced blocks of a page.
func blocksOf(t *testing.T, path string) []block {
	t.Helper()
	var blocks []block
	var open *block
	for i, line := range strings.Split(readText(t, path), "\n") {
		m := fence.FindStringSubmatch(line)
		switch {
		case m == nil && open != nil:
			open.text += line + "\n"
		case m == nil:
		case open != nil:
			blocks = append(blocks, *open)
			open = nil
		default:
			open = &block{line: i + 1, language: m[1]}
		}
	}
	if open != nil {
		t.Fatalf("%s:%d: the block is not closed", path, open.line)
	}
	return blocks
}

func readText(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// pages are the README and everything under docs.
func pages(t *testing.T) []string {
	t.Helper()
	list, err := filepath.Glob("../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	return append(list, "../README.md", "../CONTRIBUTING.md", "../CHANGELOG.md")
}

var recipeName = regexp.MustCompile(`^name: (\S+)\n`)

// recipesOf writes the recipes of a page into dir, each under its name.
func recipesOf(t *testing.T, page, dir string) (files []string) {
	t.Helper()
	for _, b := range blocksOf(t, page) {
		m := recipeName.FindStringSubmatch(b.text)
		if b.language != "yaml" || m == nil {
			continue
		}
		file := filepath.Join(dir, m[1]+".yaml")
		if _, err := os.Stat(file); err == nil {
			t.Errorf("%s:%d: a second recipe of the name %s", page, b.line, m[1])
		}
		if err := os.WriteFile(file, []byte(b.text), 0o600); err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	return files
}

func TestRecipesOfThePagesAreValidWithoutWarnings(t *testing.T) {
	t.Parallel()
	total := 0
	for _, page := range pages(t) {
		d := newDesk(t)
		dir := d.copy(t, "../examples", "project")
		for _, file := range recipesOf(t, page, dir) {
			total++
			out, errOut, code := d.run(t, dir, binary, "validate", "--strict", file)
			if code != 0 || !strings.HasPrefix(out, "✓") {
				t.Errorf("%s: %s: exit %d\n%s%s", page, filepath.Base(file), code, out, errOut)
			}
		}
	}
	if total < 20 {
		t.Errorf("only %d recipes were found", total)
	}
}

// makeTool stands for make in the blocks: the program under test is built
// already.
const makeTool = `#!/usr/bin/env bash
set -eu
[ "$*" = build ] || { echo "make $* is not known to the tests" >&2; exit 1; }
mkdir -p bin
cp "$TEST_BINARY" bin/brickoven
`

// seconds are the durations in reports, which differ from run to run.
var seconds = regexp.MustCompile(`\(\d+\.\ds\)`)

// TestBlocksOfThePagesRun runs the sh blocks of a page one after the other in a
// folder that holds the page's recipes. A text block right behind one is what
// it prints.
func TestBlocksOfThePagesRun(t *testing.T) {
	t.Parallel()
	total := 0
	for _, page := range pages(t) {
		blocks := blocksOf(t, page)
		for _, b := range blocks {
			if b.language == "sh" {
				total++
			}
		}
		t.Run(strings.TrimSuffix(filepath.Base(page), ".md"), func(t *testing.T) {
			t.Parallel()
			runBlocks(t, page, blocks)
		})
	}
	if total < 12 {
		t.Errorf("only %d blocks were found", total)
	}
}

func runBlocks(t *testing.T, page string, blocks []block) {
	d := newDesk(t)
	d.tool(t, "make", makeTool)
	dir := filepath.Join(d.dir, "project")
	d.copy(t, "../examples", filepath.Join("project", "examples"))
	recipesOf(t, page, dir)
	for i, b := range blocks {
		if b.language != "sh" {
			continue
		}
		out, errOut, code := d.run(t, dir, "bash", "-euo", "pipefail", "-c", b.text)
		if code != 0 {
			t.Errorf("%s:%d: exit %d\n%s%s", page, b.line, code, out, errOut)
			return
		}
		if i+1 == len(blocks) || blocks[i+1].language != "text" {
			continue
		}
		got, want := seconds.ReplaceAllString(out, "(0.0s)"), blocks[i+1].text
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s:%d: (-page +printed)\n%s", page, b.line, diff)
		}
	}
}

var (
	link    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading = regexp.MustCompile(`(?m)^#+ (.*)$`)
	noSlug  = regexp.MustCompile(`[^a-z0-9 _-]`)
)

// anchors are the names that the headings of a page get.
func anchors(text string) map[string]bool {
	names := map[string]bool{"": true}
	for _, m := range heading.FindAllStringSubmatch(text, -1) {
		names[strings.ReplaceAll(noSlug.ReplaceAllString(strings.ToLower(m[1]), ""), " ", "-")] = true
	}
	return names
}

func TestLinksOfThePagesLeadSomewhere(t *testing.T) {
	t.Parallel()
	for _, page := range pages(t) {
		for _, m := range link.FindAllStringSubmatch(readText(t, page), -1) {
			if err := follow(t, page, m[1]); err != nil {
				t.Errorf("%s: %s: %v", page, m[1], err)
			}
		}
	}
}

func follow(t *testing.T, page, target string) error {
	t.Helper()
	if strings.Contains(target, "://") {
		return nil
	}
	path, anchor, _ := strings.Cut(target, "#")
	file := page
	if path != "" {
		file = filepath.Join(filepath.Dir(page), path)
	}
	if _, err := os.Stat(file); err != nil {
		return err
	}
	if strings.HasSuffix(file, ".md") && !anchors(readText(t, file))[anchor] {
		return fmt.Errorf("no heading is called %s", anchor)
	}
	return nil
}
