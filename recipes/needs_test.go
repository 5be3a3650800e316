package recipes

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/brickoven/brickoven/recipes/value/pattern"
)

// What the patterns are said to need stands in every one of their matches.
func TestPatternsNeedWhatTheyAreSaidTo(t *testing.T) {
	t.Parallel()
	for name, p := range map[string]*pattern.Pattern{
		"alwaysFails": &alwaysFails, "stepRead": &stepRead, "statusTest": &statusTest, "verdictTest": &verdictTest,
		"negative": &negative, "directiveText": &directiveText,
	} {
		if len(p.Needs) == 0 {
			t.Errorf("%s needs nothing", name)
		}
		rapid.Check(t, func(t *rapid.T) {
			text := rapid.StringMatching(p.Source).Draw(t, "text")
			if p.Get().MatchString(text) && len(p.FindAll(text)) == 0 {
				t.Fatalf("%s is not looked for in %q", name, text)
			}
		})
	}
}
