package ledger

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
)

// Check reads the bytes of a ledger file, whoever wrote them, and returns
// everything in it that this package would have refused: what makes it unsound
// (broken JSON, a wrong schema, iterations out of order, epochs that do not
// match, an action completed twice) and what its records lack (an escalate
// without its three fields, a retain over a breached gate, an unbound verdict,
// an evaluation that does not follow from its measurements).
func Check(data []byte) []Finding {
	i := inspect(data)
	return append(i.broken, i.refused...)
}

// inspection is a full reading of a ledger file.
type inspection struct {
	ledger     *Ledger
	iterations []Iteration
	// broken is what makes the ledger unusable, refused what its records should
	// not have been admitted with.
	broken, refused findings
}

func inspect(data []byte) *inspection {
	i := &inspection{}
	root, err := readJSON(data)
	if err != nil {
		var refusal *Refusal
		if errors.As(err, &refusal) {
			i.broken = refusal.Findings
		}
		return i
	}
	if root.kind != mapNode {
		i.broken.at(root, "document", "is not a ledger")
		return i
	}
	if schema := root.field("schema"); schema == nil || schema.text != fmt.Sprint(Schema) {
		i.broken.at(root, "schema", "is not %d, the version this program reads", Schema)
	}
	i.keys(root)
	i.decode(data)
	if i.ledger == nil {
		return i
	}
	i.contracts(root)
	i.history()
	i.epochs()
	i.ending()
	i.records()
	return i
}

// keys refuses keys that rewriting the file would lose, and missing ones.
func (i *inspection) keys(root *node) {
	encoded, err := json.Marshal(head{})
	known := map[string]json.RawMessage{}
	if err == nil {
		err = json.Unmarshal(encoded, &known)
	}
	if err != nil {
		i.broken.at(root, "document", "%s", err)
	}
	for _, f := range root.fields {
		if _, is := known[f.key]; !is && !slices.Contains([]string{"schema", "seal", "iterations"}, f.key) {
			i.broken.at(f.value, f.key, "is not a field of a ledger")
		}
	}
	for _, key := range []string{"session", "status", "epoch", "contract", "iterations", "completed_actions"} {
		if root.field(key) == nil {
			i.broken.at(root, key, "is missing")
		}
	}
}

// decode reads the document into a ledger; the ledger stays nil when a field
// has the wrong type.
func (i *inspection) decode(data []byte) {
	var doc struct {
		head
		Iterations []json.RawMessage `json:"iterations"`
	}
	if err := unmarshal(data, &doc); err != nil {
		i.broken.add(typeField(err, "document"), "%s", err)
		return
	}
	l := &Ledger{head: doc.head}
	for n, record := range doc.Iterations {
		var it Iteration
		if err := unmarshal(record, &it); err != nil {
			i.broken.add(typeField(err, fmt.Sprintf("iterations[%d]", n)), "%s", err)
			continue
		}
		compact, err := json.Marshal(record)
		if err != nil {
			i.broken.add(fmt.Sprintf("iterations[%d]", n), "%s", err)
		}
		l.records = l.records.with(compact)
		i.iterations = append(i.iterations, it)
	}
	if len(i.iterations) == len(doc.Iterations) {
		i.ledger = l
		i.complete()
	}
}

func typeField(err error, fallback string) string {
	var typed *json.UnmarshalTypeError
	if errors.As(err, &typed) && typed.Field != "" {
		return typed.Field
	}
	return fallback
}

// complete fills what another writer may leave out, and rebuilds the progress.
func (i *inspection) complete() {
	l := i.ledger
	if l.StallThreshold == 0 {
		l.StallThreshold = DefaultStallThreshold
	}
	if l.StallCount == "" {
		l.StallCount = Consecutive
	}
	if l.Epochs == nil {
		l.Epochs = []Epoch{}
	}
	l.Progress = emptyProgress()
	for _, it := range i.iterations {
		if it.Epoch == l.Epoch {
			l.Progress = l.Progress.with(it)
		}
	}
}

// contracts checks every contract of the ledger as open would have, but for the
// programs of the evidence commands, which may have moved since.
func (i *inspection) contracts(root *node) {
	check := contractCheck{}
	if n := root.field("contract"); n != nil {
		check.contract(n, "contract.")
	}
	if epochs := root.field("epochs"); epochs != nil {
		for at, e := range epochs.items {
			if n := e.field("contract"); n != nil {
				check.contract(n, fmt.Sprintf("epochs[%d].contract.", at))
			} else {
				check.found.at(e, fmt.Sprintf("epochs[%d].contract", at), "is missing")
			}
		}
	}
	i.broken = append(i.broken, check.found...)
	l := i.ledger
	if err := CheckSession(l.Session); err != nil {
		i.broken.add("session", "%s", err)
	}
	if l.Status != Open && l.Status != Closed {
		i.broken.add("status", "%q is not %s or %s", l.Status, Open, Closed)
	}
	if l.StallThreshold < 1 || l.StallCount != Consecutive && l.StallCount != Total {
		i.broken.add("stall_threshold", "is not at least 1, or stall_count is not %s or %s", Consecutive, Total)
	}
}

// history checks the order of the iterations and the set of completed actions.
func (i *inspection) history() {
	done := map[string]bool{}
	epoch := 1
	for at, it := range i.iterations {
		field := fmt.Sprintf("iterations[%d].", at)
		if it.N != at+1 {
			i.broken.add(field+"n", "is %d where %d follows", it.N, at+1)
		}
		if it.Epoch < epoch || it.Epoch > i.ledger.Epoch {
			i.broken.add(field+"epoch", "is %d, which is not between %d and %d", it.Epoch, epoch, i.ledger.Epoch)
		}
		epoch = max(epoch, it.Epoch)
		for _, id := range it.Actions {
			if done[id] {
				i.broken.add(field+"actions", "%q is recorded complete twice", id)
			}
			done[id] = true
		}
	}
	completed := map[string]bool{}
	for _, id := range i.ledger.Completed {
		completed[id] = true
	}
	if !maps.Equal(done, completed) || len(completed) != len(i.ledger.Completed) {
		i.broken.add("completed_actions", "is not the set of the actions that the iterations completed")
	}
}

// epochs checks that every earlier epoch lists exactly its own iterations.
func (i *inspection) epochs() {
	l := i.ledger
	if l.Epoch != len(l.Epochs)+1 {
		i.broken.add("epoch", "is %d after %d earlier ones", l.Epoch, len(l.Epochs))
	}
	for at, e := range l.Epochs {
		field := fmt.Sprintf("epochs[%d].", at)
		if e.N != at+1 {
			i.broken.add(field+"n", "is %d where %d follows", e.N, at+1)
		}
		var own []int
		for _, it := range i.iterations {
			if it.Epoch == e.N {
				own = append(own, it.N)
			}
		}
		if !slices.Equal(own, e.Iterations) {
			i.broken.add(field+"iterations", "are %v, but the epoch has %v", e.Iterations, own)
		}
		if e.FinalOutcome == Continue || !oneOf(Outcomes(), e.FinalOutcome) {
			i.broken.add(field+"final_outcome", "%q does not end an epoch", e.FinalOutcome)
		}
	}
}
