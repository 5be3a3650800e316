package local

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/brickoven/brickoven/recipes/value"
	"github.com/brickoven/brickoven/runner/mask"
	"github.com/brickoven/brickoven/runner/process"
	"github.com/brickoven/brickoven/runner/scope"
)

// Store keeps the outputs and large values of a run in its private folder. It
// is safe for concurrent use.
type Store struct {
	Dir string
	// Mask takes secrets out of what is stored; nil has none. What streams bring
	// must have gone through it already.
	Mask   *mask.Masker
	Spool  *process.Spool
	Spills *scope.Spills
}

// OpenStore opens the store in dir, which is made with mode 0700. With perStep
// the files of spilled variables go as soon as the steps that read them have
// ended, as they must where they may hold secrets; otherwise they are shared by
// later steps until the variable is set anew or the run ends.
func OpenStore(dir string, perStep bool) (*Store, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("the run's folder: %w", err)
	}
	spool, err := process.OpenSpool(dir)
	if err != nil {
		return nil, err
	}
	return &Store{Dir: dir, Spool: spool, Spills: scope.NewSpills(filepath.Join(dir, "spill"), perStep)}, nil
}

// Close ends the store; the files of spilled variables go.
func (s *Store) Close() error {
	spillErr := s.Spills.Close()
	if err := s.Spool.Close(); err != nil {
		return err
	}
	return spillErr
}

// Load reads the text of a reference that this store gave out.
func (s *Store) Load(ref value.Ref) (string, error) {
	place, ok := process.ParsePlace(ref.Place)
	if !ok {
		return "", fmt.Errorf("%q is no place in this run", ref.Place)
	}
	in, err := s.Spool.Open(place)
	if err != nil {
		return "", err
	}
	defer in.Close()
	text, err := io.ReadAll(in)
	if err != nil {
		return "", err
	}
	if int64(len(text)) != ref.Size {
		return "", fmt.Errorf("a stored value of %d bytes has only %d left at %s", ref.Size, len(text), ref.Place)
	}
	return string(text), nil
}

// Open reads the bytes behind a reference as they were printed.
func (s *Store) Open(ref value.Ref) (io.ReadCloser, error) {
	place, ok := process.ParsePlace(ref.Place)
	if !ok {
		return nil, fmt.Errorf("%q is no place in this run", ref.Place)
	}
	return s.Spool.Open(place)
}

// Verify tells whether the bytes behind a reference still have its hash.
func (s *Store) Verify(ref value.Ref) error {
	in, err := s.Open(ref)
	if err != nil {
		return err
	}
	defer in.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, in); err != nil {
		return err
	}
	if got := hex.EncodeToString(sum.Sum(nil)); got != ref.Hash {
		return fmt.Errorf("the bytes at %s have the hash %s, not %s", ref.Place, got, ref.Hash)
	}
	return nil
}

// Whole gives a value with nothing left out: a reference becomes what it stands
// for, also inside the map of earlier steps.
func (s *Store) Whole(v any) (any, error) {
	switch v := v.(type) {
	case value.Ref:
		text, err := s.Load(v)
		if err != nil || !v.JSON {
			return text, err
		}
		return value.Parse(text)
	case map[string]any:
		if !containsRef(v) {
			return v, nil
		}
		m := make(map[string]any, len(v))
		for key, below := range v {
			whole, err := s.Whole(below)
			if err != nil {
				return nil, err
			}
			m[key] = whole
		}
		return m, nil
	}
	return v, nil
}

func containsRef(m map[string]any) bool {
	for _, v := range m {
		switch v := v.(type) {
		case value.Ref:
			return true
		case map[string]any:
			if containsRef(v) {
				return true
			}
		}
	}
	return false
}

// Keep gives a value that can be carried: what is larger than
// [value.MaxInline] is stored and becomes a reference.
func (s *Store) Keep(name string, v any) (any, error) {
	if _, is := v.(value.Ref); is {
		return v, nil
	}
	text := value.Text(v)
	if len(text) <= value.MaxInline {
		return v, nil
	}
	_, isText := v.(string)
	if !isText {
		text = value.JSON(s.Mask.Value(v))
	}
	return s.put(name, text, !isText)
}

func (s *Store) put(name, text string, isJSON bool) (value.Ref, error) {
	text = s.Mask.Text(text)
	stream := s.Spool.Stream(name)
	if _, err := io.WriteString(stream, text); err != nil {
		return value.Ref{}, err
	}
	place, err := stream.Close()
	if err != nil {
		return value.Ref{}, err
	}
	return value.Ref{Hash: place.SHA256, Size: place.Length, Place: place.String(), JSON: isJSON}, nil
}
