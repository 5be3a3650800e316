package recipes

// ParseContext reads a YAML or JSON map of variables, with the rules of a
// recipe's context: what is quoted stays text, 0474915 is not a number. path
// names the document in messages. The error is [Findings].
func ParseContext(path string, data []byte) ([]Variable, error) {
	doc, err := readDocument(Source{Path: path}, data)
	if err != nil {
		return nil, err
	}
	d := &decoder{doc: doc, recipe: &Recipe{Source: doc.source, doc: doc}}
	d.contextDefaults("the file", doc.root)
	if faults := d.found.Errors(); len(faults) > 0 {
		return nil, faults
	}
	return d.recipe.Context, nil
}
