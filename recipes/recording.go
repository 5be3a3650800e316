package recipes

import (
	"errors"
	"fmt"
	"strings"
)

// Recording is everything that was read to resolve a tree. A run keeps it, so
// that a resumed run goes on with the recipe as it was, whatever has become of
// the files.
type Recording struct {
	Root Source `json:"root"`
	// Files are the documents and schemas that were read, by path.
	Files []RecordedFile `json:"files"`
	// Found says what each name led to.
	Found []RecordedName `json:"found"`
}

// RecordedFile is one file with its text.
type RecordedFile struct {
	Path string `json:"path"`
	Text string `json:"text"`
}

// RecordedName is one answer of the resolver; Path is empty where the name was
// not found.
type RecordedName struct {
	Name string   `json:"name"`
	From []string `json:"from"`
	Path string   `json:"path,omitempty"`
	Dir  string   `json:"dir,omitempty"`
	Err  string   `json:"error,omitempty"`
}

// library is where a loader gets documents from: the file system, or a
// recording.
type library interface {
	find(name string, from ...string) (Source, error)
	follow(name string, from Source) (Source, error)
	// document reads a recipe, file any other file, under the path it is
	// recorded by.
	document(source Source) ([]byte, error)
	file(path string) ([]byte, error)
}

// live reads the file system and notes what it gave.
type live struct {
	resolver *Resolver
	rec      *Recording
}

func (l live) find(name string, from ...string) (Source, error) {
	source, err := l.resolver.findName(name, from...)
	l.note(name, from, source, err)
	return source, err
}

func (l live) follow(name string, from Source) (Source, error) {
	source, err := l.resolver.Find(name, from)
	l.note(name, []string{from.Path}, source, err)
	return source, err
}

func (l live) note(name string, from []string, source Source, err error) {
	entry := RecordedName{Name: name, From: from, Path: source.Path, Dir: source.Dir}
	if err != nil {
		entry.Err = err.Error()
	}
	l.rec.Found = append(l.rec.Found, entry)
}

func (l live) document(source Source) ([]byte, error) {
	data, err := l.resolver.Read(source)
	return l.keep(source.recorded(), data, err)
}

func (l live) file(path string) ([]byte, error) {
	data, err := readFile(path)
	return l.keep(path, data, err)
}

func (l live) keep(path string, data []byte, err error) ([]byte, error) {
	if err == nil {
		l.rec.Files = append(l.rec.Files, RecordedFile{Path: path, Text: string(data)})
	}
	return data, err
}

// recorded is the path that a document is recorded by: one that leads to it
// from any working directory.
func (s Source) recorded() string {
	if strings.HasPrefix(s.Path, builtinFolder) || strings.HasPrefix(s.Path, givenFolder) {
		return s.Path
	}
	return s.file()
}

// replayed answers from a recording.
type replayed struct{ rec *Recording }

func (p replayed) find(name string, from ...string) (Source, error) {
	for _, entry := range p.rec.Found {
		if entry.Name != name || strings.Join(entry.From, "\x00") != strings.Join(from, "\x00") {
			continue
		}
		if entry.Path == "" {
			return Source{}, &recordedMiss{name, entry.Err}
		}
		return Source{Path: entry.Path, Dir: entry.Dir}, nil
	}
	return Source{}, fmt.Errorf("the recording does not know the recipe %s", name)
}

func (p replayed) follow(name string, from Source) (Source, error) { return p.find(name, from.Path) }

func (p replayed) document(source Source) ([]byte, error) { return p.file(source.recorded()) }

func (p replayed) file(path string) ([]byte, error) {
	for _, file := range p.rec.Files {
		if file.Path == path {
			return []byte(file.Text), nil
		}
	}
	return nil, fmt.Errorf("the recording does not hold %s", path)
}

// recordedMiss is a name that was not found when the run began.
type recordedMiss struct{ name, text string }

func (e *recordedMiss) Error() string { return e.text }

// As lets the miss be treated as what it was.
func (e *recordedMiss) As(target any) bool {
	missing, ok := target.(**NotFoundError)
	if ok {
		*missing = &NotFoundError{Name: e.name}
	}
	return ok
}

// Restore makes the tree again that rec was taken from. Nothing of the file
// system is read. The error is [Findings], or says what the recording lacks.
func Restore(rec *Recording, opts LoadOptions) (*Tree, error) {
	return load(rec.Root, replayed{rec}, rec, opts)
}

// Changed lists the recorded files whose text is not what read gives for their
// path now. Built-in recipes are part of the program and are compared as well;
// what was given as text is no file and cannot change.
func (rec *Recording) Changed(read func(path string) ([]byte, error)) []string {
	var paths []string
	for _, file := range rec.Files {
		if strings.HasPrefix(file.Path, givenFolder) {
			continue
		}
		data, err := read(file.Path)
		if err != nil || string(data) != file.Text {
			paths = append(paths, file.Path)
		}
	}
	return paths
}

// ReadRecorded reads a recorded file as it is now.
func (r *Resolver) ReadRecorded(path string) ([]byte, error) {
	if strings.HasPrefix(path, builtinFolder) {
		return r.Read(Source{Path: path})
	}
	data, err := readFile(path)
	if err != nil {
		return nil, errors.Unwrap(err)
	}
	return data, nil
}
