package report

import (
	"strings"

	"github.com/brickoven/brickoven/recipes"
)

// describe adds to the steps what the recipe says about them.
func describe(steps []*Step, r *recipes.Recipe) {
	if r == nil {
		return
	}
	for _, st := range steps {
		def := find(r, unindexed(st.Name))
		if def == nil {
			continue
		}
		st.about(def, r)
	}
}

// about describes one step and what lies in it.
func (s *Step) about(def *recipes.Step, r *recipes.Recipe) {
	s.Does = does(def)
	if def.Condition != nil {
		s.Condition = clean(def.Condition.Source())
	}
	for _, last := range r.Finally {
		s.Finally = s.Finally || last == def
	}
	if def.Type != recipes.Loop || def.Loop == nil {
		for _, child := range s.Children {
			if child.Part == PartElement {
				child.Does = s.Does
				describe(child.Children, def.Child)
			}
		}
		describe(s.Children, def.Child)
		return
	}
	s.parts(def)
}

// parts describes the rounds of a loop.
func (s *Step) parts(def *recipes.Step) {
	for _, child := range s.Children {
		switch {
		case child.Part == PartJudge && def.Loop.Judge != nil:
			describe(child.Children, def.Loop.Judge.Child)
		case child.Part == PartCheck && def.Loop.Check != nil:
			child.Does = does(def.Loop.Check)
		case child.Part == PartProgress && def.Loop.Progress != nil:
			child.Does = does(def.Loop.Progress)
		case child.Part == PartRound:
			for _, round := range def.Loop.Rounds {
				describe(child.Children, round.Child)
			}
			child.parts(def)
		case child.Part == PartElement:
			child.parts(def)
		}
	}
}

func find(r *recipes.Recipe, id string) *recipes.Step {
	for _, list := range [][]*recipes.Step{r.Steps, r.Finally} {
		for _, st := range list {
			if st.ID == id {
				return st
			}
		}
	}
	return nil
}

// maxDoes is how many bytes of a command or prompt a step shows.
const maxDoes = 600

// does is what a step does, in the words of its author.
func does(def *recipes.Step) string {
	var text string
	switch {
	case def.Command != nil:
		text = def.Command.Source
	case def.Prompt != nil && def.Type == recipes.Agent:
		text = def.Prompt.Source()
	case def.Uses != "":
		text = "uses: " + def.Uses
	case def.Recipe != "":
		text = "recipe: " + def.Recipe
	}
	text = clean(strings.TrimSpace(text))
	if len(text) > maxDoes {
		text = strings.ToValidUTF8(text[:maxDoes], "") + "…"
	}
	return text
}
