package main

import (
	"io"
	"os"
	"strings"
)

// readText reads everything into one text, with as little memory beside it as
// can be: none for a file, whose size is known, and the text once more for a
// pipe.
func readText(in io.Reader) (string, error) {
	var text strings.Builder
	if file, ok := in.(*os.File); ok {
		if info, err := file.Stat(); err == nil && info.Mode().IsRegular() {
			text.Grow(int(info.Size()))
			_, err := io.Copy(&text, file)
			return text.String(), err
		}
	}
	pieces, err := readPieces(in)
	if err != nil {
		return "", err
	}
	size := 0
	for _, piece := range pieces {
		size += len(piece)
	}
	text.Grow(size)
	for _, piece := range pieces {
		text.Write(piece)
	}
	return text.String(), nil
}

// readPieces reads to the end, in pieces that grow to a megabyte.
func readPieces(in io.Reader) ([][]byte, error) {
	const smallest, largest = 4 << 10, 1 << 20
	var pieces [][]byte
	for size := smallest; ; size = min(2*size, largest) {
		piece := make([]byte, size)
		n, err := io.ReadFull(in, piece)
		pieces = append(pieces, piece[:n])
		switch err {
		case nil:
		case io.EOF, io.ErrUnexpectedEOF:
			return pieces, nil
		default:
			return nil, err
		}
	}
}
