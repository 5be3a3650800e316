package recipes

// givenFolder stands before the names of documents that are no files.
const givenFolder = "given:"

// ResolveText is [Resolver.Resolve] for a document that a program made. It is
// shown as given:NAME, and names and paths in it are looked for from the folder
// dir, an absolute path.
func (r *Resolver) ResolveText(name string, text []byte, dir string, opts LoadOptions) (*Tree, error) {
	source := Source{Path: givenFolder + name, Dir: dir}
	rec := &Recording{Root: source}
	return load(source, given{live{r, rec}, source, text}, rec, opts)
}

// given is the file system, and one document beside it.
type given struct {
	live
	source Source
	text   []byte
}

func (g given) document(source Source) ([]byte, error) {
	if source.Path == g.source.Path {
		return g.keep(source.Path, g.text, nil)
	}
	return g.live.document(source)
}
