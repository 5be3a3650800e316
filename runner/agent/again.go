package agent

import (
	"fmt"
	"strings"

	"github.com/brickoven/brickoven/recipes/value"
)

// Want says what an answer must hold.
type Want struct {
	// Field is a key that the object must have; empty: none.
	Field string
	// Schema is a JSON Schema as a value; nil: none.
	Schema any
	// Problem says what was wrong with the answer at hand; empty: no JSON.
	Problem string
}

// maxEcho is how much of an answer in bytes goes back with the question for its
// JSON. The JSON, if there was any, stands at the end.
const maxEcho = 64 << 10

// Again is the request that asks for the JSON that an answer lacked. Where the
// CLI can, it goes on with the conversation and asks nothing but that; else it
// sends the whole prompt once more, with the answer and the schema.
func (r Request) Again(answer, conversation string, want Want) Request {
	if conversation != "" && r.Agent.Resumes() {
		r.Resume, r.System = conversation, ""
		r.Prompt = fmt.Sprintf("Your last answer held no JSON that could be used%s. Answer again, with %s and nothing else.%s",
			because(want.Problem), want.shape(), want.schema())
		return r
	}
	r.Prompt += fmt.Sprintf("\n\nYou were asked this before, and your answer held no JSON that could be used%s. It was:\n\n%s\n\n"+
		"Answer again, with %s and nothing else.%s", because(want.Problem), echo(answer), want.shape(), want.schema())
	return r
}

func because(problem string) string {
	if problem == "" {
		return ""
	}
	return " (" + problem + ")"
}

func (w Want) shape() string {
	if w.Field != "" {
		return fmt.Sprintf("one JSON object that has the key %q", w.Field)
	}
	return "one JSON document"
}

func (w Want) schema() string {
	if w.Schema == nil {
		return ""
	}
	return " It must match this JSON Schema:\n" + Fenced(value.JSON(w.Schema))
}

// echo is the end of an answer.
func echo(answer string) string {
	if len(answer) <= maxEcho {
		return answer
	}
	cut := len(answer) - maxEcho
	return fmt.Sprintf("[... %d bytes left out ...]\n%s", cut, strings.ToValidUTF8(answer[cut:], ""))
}
