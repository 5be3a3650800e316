package document_test

import (
	"testing"

	"github.com/brickoven/brickoven/bricks/session"
)

// TestTheSessionSchemasAgreeWithTheReaders hands the same documents to a schema
// and to the strict reader of the session.
func TestTheSessionSchemasAgreeWithTheReaders(t *testing.T) {
	t.Parallel()
	control := func(text string) error {
		_, err := session.ParseControl([]byte(text))
		return err
	}
	check := func(text string) error {
		_, err := session.ParseGoalCheck([]byte(text))
		return err
	}
	for _, c := range []struct {
		schema, text string
		read         func(string) error
	}{
		{"control", `{"state":"running","reason":"x","stop_reason":null,"schema_version":1}`, control},
		{"control", `{"state":"running","reason":"x","schema_version":1}`, control},
		{"control", `{"state":"stopped","reason":"x","stop_reason":"goal_met","schema_version":1}`, control},
		{"control", `{"state":"stopped","reason":"x","stop_reason":"stop_requested","schema_version":1}`, control},
		{"control", `{"state":"stopped","reason":"x","stop_reason":null,"schema_version":1}`, control},
		{"control", `{"state":"stopped","reason":"x","schema_version":1}`, control},
		{"control", `{"state":"running","reason":"x","stop_reason":"goal_met","schema_version":1}`, control},
		{"control", `{"state":"stopped","reason":"x","stop_reason":"max_rounds","schema_version":1}`, control},
		{"control", `{"state":"paused","reason":"x","schema_version":1}`, control},
		{"control", `{"state":"running","schema_version":1}`, control},
		{"control", `{"state":"running","reason":"x"}`, control},
		{"control", `{"state":"running","reason":"x","schema_version":2}`, control},
		{"control", `{"state":"running","reason":"x","schema_version":1,"more":1}`, control},
		{"goal_check", `{"goal_met":true,"reason":"x","schema_version":1}`, check},
		{"goal_check", `{"goal_met":false,"reason":"x"}`, check},
		{"goal_check", `{"goal_met":"true","reason":"x"}`, check},
		{"goal_check", `{"goal_met":true}`, check},
		{"goal_check", `{"goal_met":true,"reason":"x","schema_version":2}`, check},
		{"goal_check", `{"goal_met":true,"reason":"x","more":1}`, check},
		{"goal_check", `[]`, check},
	} {
		schemaErr, readErr := compile(t, c.schema).Validate(decoded(t, []byte(c.text))), c.read(c.text)
		if (schemaErr == nil) != (readErr == nil) {
			t.Errorf("%s: the schema says %v, the reader says %v", c.text, schemaErr, readErr)
		}
	}
}
