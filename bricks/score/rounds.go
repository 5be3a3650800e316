package score

import (
	"fmt"

	"github.com/brickoven/brickoven/recipes/value"
)

// readRounds reads what each round used. Iterations that are no list of objects
// are another tool's business and ignored; a list that contradicts the score
// history is not, because then one of the two is wrong.
func readRounds(d *document, root *node, r *Record) error {
	rounds := field(root, "iterations")
	if rounds == nil || rounds.items == nil || len(rounds.items) == 0 {
		return nil
	}
	if len(rounds.items) != len(r.Loop.Scores) {
		return d.at(rounds, fmt.Sprintf("has %d entries, but score_history has %d", len(rounds.items), len(r.Loop.Scores)))
	}
	for i, item := range rounds.items {
		if err := agree(d, item, r.Loop.Scores[i]); err != nil {
			return err
		}
		round, err := readRound(d, item)
		if err != nil {
			return err
		}
		r.Loop.Rounds = append(r.Loop.Rounds, round)
	}
	return nil
}

func agree(d *document, item *node, score value.Number) error {
	n := field(item, "score")
	if n == nil {
		return nil
	}
	own, err := readScore(d, n)
	if err != nil {
		return err
	}
	if !value.Equal(own, score) {
		return d.at(n, fmt.Sprintf("is %s, but score_history says %s", own, score))
	}
	return nil
}

func readRound(d *document, item *node) (round Round, err error) {
	amounts := []struct {
		into  *value.Number
		names []string
	}{
		{&round.Duration, []string{"duration_seconds", "duration_s"}},
		{&round.Tokens, []string{"tokens", "total_tokens"}},
		{&round.CostUSD, []string{"cost_usd"}},
	}
	for _, amount := range amounts {
		for _, name := range amount.names {
			if *amount.into, err = known(d, field(item, name)); err != nil {
				return Round{}, err
			}
			if *amount.into != "" {
				break
			}
		}
	}
	if n := field(item, "accepted"); n != nil {
		if accepted, ok := n.value.(bool); ok {
			round.Accepted = &accepted
		}
	}
	if usage := field(item, "usage"); usage != nil && round.Tokens == "" {
		round.Tokens, err = usedTokens(d, usage)
	}
	return round, err
}

// known reads an amount; what is no number is unknown.
func known(d *document, n *node) (value.Number, error) {
	if n == nil {
		return "", nil
	}
	if _, ok := n.value.(value.Number); !ok {
		return "", nil
	}
	return readAmount(d, n)
}

// usedTokens reads a usage object: the total, or else prompt and completion
// tokens where both are known.
func usedTokens(d *document, usage *node) (value.Number, error) {
	total, err := known(d, field(usage, "total_tokens"))
	if err != nil || total != "" {
		return total, err
	}
	prompt, err := known(d, field(usage, "prompt_tokens"))
	if err != nil {
		return "", err
	}
	completion, err := known(d, field(usage, "completion_tokens"))
	if err != nil {
		return "", err
	}
	both, ok := sum([]value.Number{prompt, completion})
	if !ok {
		return "", nil
	}
	return decimal(both, 6), nil
}
