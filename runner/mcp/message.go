package mcp

import (
	"encoding/json"

	"github.com/sourcegraph/jsonrpc2"
)

// refusal answers a line that is no message. Its id may be null, which the
// library's responses cannot say.
type refusal struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Error   *jsonrpc2.Error `json:"error"`
}

func refuse(id json.RawMessage, err *jsonrpc2.Error) *refusal {
	if len(id) == 0 || id[0] == '{' || id[0] == '[' {
		id = json.RawMessage("null")
	}
	return &refusal{Version: "2.0", ID: id, Error: err}
}

// readMessage reads one line into v; nil means that it is a message.
func readMessage(line []byte, v any) *refusal {
	if !json.Valid(line) {
		return refuse(nil, failed(jsonrpc2.CodeParseError, "the line is not one JSON value"))
	}
	if line[0] != '{' {
		return refuse(nil, failed(jsonrpc2.CodeInvalidRequest, "the line is not one JSON object; batches are not served"))
	}
	var head struct {
		Version json.RawMessage `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
	}
	if err := json.Unmarshal(line, &head); err != nil {
		return refuse(nil, failed(jsonrpc2.CodeInvalidRequest, "%v", err))
	}
	if string(head.Version) != `"2.0"` {
		return refuse(head.ID, failed(jsonrpc2.CodeInvalidRequest, `jsonrpc must be "2.0"`))
	}
	// The library would answer a negative number with another one.
	if len(head.ID) > 0 && head.ID[0] == '-' {
		return refuse(head.ID, failed(jsonrpc2.CodeInvalidRequest, "an id is a text or a whole number from 0"))
	}
	if err := json.Unmarshal(line, v); err != nil {
		return refuse(head.ID, failed(jsonrpc2.CodeInvalidRequest, "%v", err))
	}
	return nil
}
