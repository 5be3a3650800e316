package shell_test

import (
	"strings"
	"testing"

	"github.com/brickoven/brickoven/recipes/template/shell"
)

func BenchmarkCompile(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := shell.Compile(contexts, shell.Bash, false); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkBind(b *testing.B) {
	c, err := shell.Compile(contexts, shell.Bash, false)
	if err != nil {
		b.Fatal(err)
	}
	lookup := variables(strings.Repeat("value ", 100))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := c.Bind(lookup); err != nil {
			b.Fatal(err)
		}
	}
}
