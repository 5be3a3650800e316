package mcp

import (
	"encoding/json"
	"slices"

	"github.com/sourcegraph/jsonrpc2"
)

// versions of the protocol that are served, the newest last.
func versions() []string { return []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"} }

type initializeParams struct {
	Version string `json:"protocolVersion"`
}

type greeting struct {
	Version      string `json:"protocolVersion"`
	Capabilities struct {
		Tools struct{} `json:"tools"`
	} `json:"capabilities"`
	Server struct {
		Name    string `json:"name"`
		Version string `json:"version"`
	} `json:"serverInfo"`
	Instructions string `json:"instructions,omitempty"`
}

// initialize agrees on a version: the client's where it is served, else the
// newest, which the client may refuse.
func (s *session) initialize(params *json.RawMessage) (*greeting, *jsonrpc2.Error) {
	var wanted initializeParams
	if err := readParams(params, &wanted); err != nil {
		return nil, failed(jsonrpc2.CodeInvalidParams, "initialize: %v", err)
	}
	s.greeted = true
	g := &greeting{Version: wanted.Version, Instructions: s.server.Instructions}
	if served := versions(); !slices.Contains(served, wanted.Version) {
		g.Version = served[len(served)-1]
	}
	g.Server.Name, g.Server.Version = s.server.Name, s.server.Version
	return g, nil
}
