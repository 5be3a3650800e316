package mcp

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/sourcegraph/jsonrpc2"
)

type listParams struct {
	Cursor string `json:"cursor"`
}

type listing struct {
	Tools []listed `json:"tools"`
}

type listed struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Input       json.RawMessage `json:"inputSchema"`
	Output      json.RawMessage `json:"outputSchema"`
	Annotations *annotations    `json:"annotations,omitempty"`
}

type annotations struct {
	ReadOnly bool `json:"readOnlyHint"`
}

// list gives all tools by name, on one page.
func (s *session) list(params *json.RawMessage) (*listing, *jsonrpc2.Error) {
	var page listParams
	if params != nil {
		if err := json.Unmarshal(*params, &page); err != nil {
			return nil, failed(jsonrpc2.CodeInvalidParams, "tools/list: %v", err)
		}
	}
	if page.Cursor != "" {
		return nil, failed(jsonrpc2.CodeInvalidParams, "tools/list: the cursor %q is not from here; there is one page", page.Cursor)
	}
	schemas, err := s.schemas()
	if err != nil {
		return nil, failed(jsonrpc2.CodeInternalError, "%v", err)
	}
	l := &listing{Tools: []listed{}}
	for _, t := range s.server.Tools {
		of := schemas[t.Name]
		entry := listed{Name: t.Name, Description: t.Description, Input: of.Input, Output: of.Output}
		if t.ReadOnly {
			entry.Annotations = &annotations{ReadOnly: true}
		}
		l.Tools = append(l.Tools, entry)
	}
	slices.SortFunc(l.Tools, func(a, b listed) int { return strings.Compare(a.Name, b.Name) })
	return l, nil
}
