package ledger

import (
	"fmt"
	"slices"
	"strings"

	"github.com/brickoven/brickoven/recipes/value"
)

var dimensionKeys = []string{
	"dimension", "evidence_command", "baseline", "target", "weight", "failure_threshold", "direction", "hard_gate",
	"must_not_regress",
}

const optionalDimensionKey = "must_not_regress"

func (c *contractCheck) rubric(n *node, field string) []Dimension {
	if n.kind != listNode || len(n.items) == 0 {
		c.found.at(n, field, "must be a list of at least one dimension")
		return nil
	}
	var rubric []Dimension
	for i, item := range n.items {
		prefix := fmt.Sprintf("%s[%d]", field, i)
		if item.kind != mapNode {
			c.found.at(item, prefix, "must be a map of the eight dimension keys")
			continue
		}
		d := c.dimension(item, prefix+".")
		same := func(other Dimension) bool { return strings.TrimSpace(other.Name) == strings.TrimSpace(d.Name) }
		if d.Name != "" && slices.ContainsFunc(rubric, same) {
			c.found.at(item, prefix+".dimension", "%q is there twice", d.Name)
		}
		rubric = append(rubric, d)
	}
	return rubric
}

func (c *contractCheck) dimension(n *node, prefix string) Dimension {
	var d Dimension
	numbers := map[string]*value.Number{
		"baseline": &d.Baseline, "target": &d.Target, "weight": &d.Weight, "failure_threshold": &d.FailureThreshold,
	}
	sound := true
	for _, key := range dimensionKeys {
		item, field := n.field(key), prefix+key
		number, isNumber := numbers[key]
		switch {
		case item == nil:
			if key != optionalDimensionKey {
				c.found.at(n, field, "is missing")
				sound = false
			}
		case isNumber:
			*number = value.Number(item.text)
			sound = c.number(item, field) && sound
		default:
			sound = c.dimensionWord(&d, key, item, field) && sound
		}
	}
	c.unknown(n, prefix, dimensionKeys)
	if sound {
		c.relations(d, n, prefix)
	}
	return d
}

// dimensionWord reads the keys that are not numbers.
func (c *contractCheck) dimensionWord(d *Dimension, key string, n *node, field string) (ok bool) {
	before := len(c.found)
	switch key {
	case "dimension":
		d.Name = c.text(n, field)
	case "evidence_command":
		d.EvidenceCommand = c.text(n, field)
		if c.commands && len(c.found) == before {
			for _, fault := range CheckCommand(d.EvidenceCommand, c.places) {
				c.found.at(n, field, "%s", fault)
			}
		}
		return true
	case "direction":
		d.Direction = n.text
		if n.kind != textNode || n.text != HigherIsBetter && n.text != LowerIsBetter {
			c.found.at(n, field, "must be %s or %s", HigherIsBetter, LowerIsBetter)
		}
	case "hard_gate":
		d.HardGate = c.truth(n, field)
	case optionalDimensionKey:
		holds := c.truth(n, field)
		d.MustNotRegress = &holds
	}
	return len(c.found) == before
}

func (c *contractCheck) text(n *node, field string) string {
	if n.kind != textNode {
		c.found.at(n, field, "must be a text")
	} else if strings.TrimSpace(n.text) == "" {
		c.found.at(n, field, "must not be blank")
	}
	return n.text
}

func (c *contractCheck) truth(n *node, field string) bool {
	if n.kind != boolNode {
		c.found.at(n, field, "must be true or false")
	}
	return n.text == "true"
}

// relations checks what the numbers of a dimension say about one another.
func (c *contractCheck) relations(d Dimension, n *node, prefix string) {
	if rational(d.Weight).Sign() <= 0 {
		c.found.at(n.field("weight"), prefix+"weight", "must be greater than 0")
	}
	way := rational(d.Target).Cmp(rational(d.Baseline))
	target := n.field("target")
	switch {
	case d.Holds() && way != 0:
		c.found.at(target, prefix+"target", "must equal the baseline because must_not_regress is true")
	case !d.Holds() && way == 0:
		c.found.at(target, prefix+"target", "must differ from the baseline, or must_not_regress be true")
	case way > 0 && d.Direction == LowerIsBetter, way < 0 && d.Direction == HigherIsBetter:
		c.found.at(target, prefix+"target", "lies on the wrong side of the baseline for %s", d.Direction)
	}
}
