// Package extract finds the JSON answer in prose. It is the one JSON finder of
// the project (DESIGN section 5).
package extract

// Options choose which value of the text is the answer.
type Options struct {
	// RequireField makes the answer the last object anywhere that carries this
	// key, nested objects only if no top-level one does.
	RequireField string
}

// Result is a found answer and where it stood.
type Result struct {
	Value      any
	Strategy   string // whole, fenced, object or list
	Start, End int    // byte range of the JSON text in the input
}

// Find returns the answer in text; found is false when there is none. It makes
// one pass in linear time.
func Find(text string, opts Options) (r Result, found bool) { return Result{}, false }
