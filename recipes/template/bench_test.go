package template_test

import (
	"strings"
	"testing"

	"github.com/brickoven/brickoven/recipes/template"
)

// BenchmarkRender renders a prompt of 1 MB with 1,000 placeholders; the bound
// is 10 ms.
func BenchmarkRender(b *testing.B) {
	for name, placeholder := range map[string]string{"paths": "{{ items.2.k }}", "pipelines": "{{ my-branch | upper }}"} {
		source := strings.Repeat(strings.Repeat("prompt ", 150)[:1040]+placeholder, 1000)
		tpl, err := template.Parse(source, template.Options{Lenient: true})
		if err != nil {
			b.Fatal(err)
		}
		lookup := vars(b)
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(source)))
			for b.Loop() {
				if _, _, err := tpl.Render(lookup); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkParse(b *testing.B) {
	source := strings.Repeat("text {{ a.b }} and {{ default 'x' c | upper }}\n", 100)
	for b.Loop() {
		if _, err := template.Parse(source, template.Options{}); err != nil {
			b.Fatal(err)
		}
	}
}
