package ledger

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/brickoven/brickoven/recipes/value"
)

// contractCheck turns a document into a contract and gathers what is wrong
// with it.
type contractCheck struct {
	places Places
	// commands asks for the check of the evidence commands; a contract that is
	// already in a ledger has passed it at the time when it counted.
	commands bool
	found    findings
}

func (c *contractCheck) contract(root *node, prefix string) Contract {
	var contract Contract
	if root.kind != mapNode {
		c.found.at(root, prefix+"contract", "must be a map of the twelve fields")
		return contract
	}
	prose := map[string]*any{
		"purpose": &contract.Purpose, "owner": &contract.Owner, "starting_state": &contract.StartingState,
		"inputs": &contract.Inputs, "expected_outputs": &contract.ExpectedOutputs,
		"success_criteria": &contract.SuccessCriteria, "failure_criteria": &contract.FailureCriteria,
		"timeout_behaviour": &contract.TimeoutBehaviour, "escalation_path": &contract.EscalationPath,
	}
	for _, key := range contractKeys {
		n, field := root.field(key), prefix+key
		target, isProse := prose[key]
		switch {
		case n == nil:
			c.found.at(root, field, "is missing")
		case isProse:
			*target = c.prose(n, field)
		case key == "dependencies":
			contract.Dependencies = c.dependencies(n, field)
		case key == "iteration_limit":
			contract.IterationLimit = c.limit(n, field)
		case key == "quality_rubric":
			contract.Rubric = c.rubric(n, field)
		}
	}
	c.unknown(root, prefix, contractKeys)
	return contract
}

var contractKeys = []string{
	"purpose", "owner", "starting_state", "inputs", "expected_outputs", "success_criteria", "failure_criteria",
	"dependencies", "iteration_limit", "timeout_behaviour", "escalation_path", "quality_rubric",
}

func (c *contractCheck) unknown(n *node, prefix string, known []string) {
	for _, f := range n.fields {
		if !slices.Contains(known, f.key) {
			c.found.at(f.value, prefix+f.key, "is not a field; the fields are %s", strings.Join(known, ", "))
		}
	}
}

// prose reads a text, a number or a list of those, and refuses what says
// nothing: null, booleans, maps, blank texts and lists.
func (c *contractCheck) prose(n *node, field string) any {
	if n.kind != listNode {
		return c.scalar(n, field)
	}
	if len(n.items) == 0 {
		c.found.at(n, field, "must not be an empty list")
	}
	list := make([]any, 0, len(n.items))
	for i, item := range n.items {
		list = append(list, c.scalar(item, fmt.Sprintf("%s[%d]", field, i)))
	}
	return list
}

func (c *contractCheck) scalar(n *node, field string) any {
	switch n.kind {
	case textNode:
		if strings.TrimSpace(n.text) == "" {
			c.found.at(n, field, "must not be blank")
		} else if isNonFinite(n.text) {
			c.found.at(n, field, "%q is not a finite number", n.text)
		}
		return n.text
	case numberNode:
		c.number(n, field)
		return value.Number(n.text)
	case nullNode:
		c.found.at(n, field, "must not be null")
	case boolNode:
		c.found.at(n, field, "must be a text, not %s", n.text)
	default:
		c.found.at(n, field, "must be a text or a list of texts")
	}
	return nil
}

// isNonFinite knows YAML's spellings of what JSON can not hold.
func isNonFinite(text string) bool {
	switch strings.ToLower(strings.TrimLeft(text, "+-")) {
	case ".nan", ".inf":
		return true
	}
	return false
}

func (c *contractCheck) dependencies(n *node, field string) []string {
	if n.kind != listNode {
		c.found.at(n, field, "must be a list of names")
		return nil
	}
	if len(n.items) == 0 {
		c.found.at(n, field, "must not be an empty list")
	}
	var names []string
	for i, item := range n.items {
		c.scalar(item, fmt.Sprintf("%s[%d]", field, i))
		names = append(names, item.text)
	}
	return names
}

func (c *contractCheck) limit(n *node, field string) int {
	limit, err := strconv.Atoi(n.text)
	if n.kind != numberNode || err != nil || limit < 1 {
		c.found.at(n, field, "must be a whole number of at least 1")
	}
	return limit
}

func (c *contractCheck) number(n *node, field string) (ok bool) {
	if n.kind != numberNode {
		c.found.at(n, field, "must be a number")
		return false
	}
	if fault := checkNumber(n.text); fault != "" {
		c.found.at(n, field, "%s", fault)
		return false
	}
	return true
}
