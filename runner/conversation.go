package runner

import (
	"strings"

	"github.com/brickoven/brickoven/recipes"
	"github.com/brickoven/brickoven/runner/step"
)

// conversation is the name under which a step keeps its conversation: session:
// gives one that all steps of a run may share; continue_session: stands for the
// step's own place, the same in every round of a loop. Empty: none.
func (fr *frame) conversation(st *recipes.Step, path string) string {
	switch {
	case st.Session != "":
		return "session " + st.Session
	case st.ContinueSession:
		return "step " + fr.loops.steady(path)
	}
	return ""
}

// steady is the path of a step without the numbers of the rounds around it.
func (l loops) steady(path string) string {
	for i := len(l.rounds) - 1; i >= 0; i-- {
		if rest, in := strings.CutPrefix(path, l.rounds[i]); in {
			path = l.rounds[i][:strings.LastIndexByte(l.rounds[i], '[')] + rest
		}
	}
	return path
}

// known gives the conversations under a name by agent; nil where there is none.
func (r *Run) known(name string) map[string]step.Conversation {
	if name == "" {
		return nil
	}
	return r.conversations[name]
}

// converse remembers the conversation of an answer.
func (r *Run) converse(name string, a *step.Answered) {
	if name == "" || a == nil || a.Conversation == "" || a.Status != step.AgentOK && a.Status != step.AgentDenied {
		return
	}
	known := map[string]step.Conversation{a.Agent: {ID: a.Conversation, Used: a.Total}}
	for agent, id := range r.conversations[name] {
		if agent != a.Agent {
			known[agent] = id
		}
	}
	r.conversations[name] = known
}
