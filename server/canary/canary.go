// Package canary looks for texts that must not stand readable in any file.
package canary

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf16"
)

// MinLength is the shortest text worth looking for: a shorter one is found by
// chance.
const MinLength = 8

// Hit is a text that was found in a file, however often.
type Hit struct {
	File     string
	Text     string
	Encoding string
}

type pattern struct {
	text, encoding string
	bytes          []byte
}

func (p pattern) sameText(other pattern) bool { return p.text == other.text }

// Scan reads every file below dir and reports each text that stands in one: as
// UTF-8, as UTF-16, in hexadecimal or in base64. A file that goes away
// meanwhile is left out; sockets and the like, too.
func Scan(dir string, texts []string) (hits []Hit, files int, err error) {
	var patterns []pattern
	for _, text := range texts {
		if len(text) < MinLength {
			return nil, 0, fmt.Errorf("%q is too short to look for: it needs %d letters", text, MinLength)
		}
		patterns = append(patterns, patternsOf(text)...)
	}
	err = filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) && path != dir || err == nil && !entry.Type().IsRegular() {
			return nil
		}
		if err != nil {
			return err
		}
		f, err := os.Open(path) //nolint:gosec // what the operator asks for
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		found, err := scan(f, patterns)
		for _, p := range found {
			hits = append(hits, Hit{path, p.text, p.encoding})
		}
		files++
		return errors.Join(err, f.Close())
	})
	if err != nil {
		return hits, files, fmt.Errorf("scan: %w", err)
	}
	return hits, files, nil
}

const window = 1 << 20

// scan reads in overlapping windows: each pattern is whole in one of them.
func scan(r io.Reader, patterns []pattern) (found []pattern, err error) {
	overlap := 0
	for _, p := range patterns {
		overlap = max(overlap, len(p.bytes)-1)
	}
	left := slices.Clone(patterns)
	buffer := make([]byte, overlap+window)
	kept := 0
	for {
		n, err := io.ReadFull(r, buffer[kept:])
		text := buffer[:kept+n]
		for _, p := range left {
			if !slices.ContainsFunc(found, p.sameText) && bytes.Contains(text, p.bytes) {
				found = append(found, p)
			}
		}
		left = slices.DeleteFunc(left, func(p pattern) bool { return slices.ContainsFunc(found, p.sameText) })
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return found, nil
		}
		if err != nil {
			return found, err
		}
		kept = copy(buffer, text[len(text)-overlap:])
	}
}

func patternsOf(text string) []pattern {
	raw := []byte(text)
	var little, big []byte
	for _, unit := range utf16.Encode([]rune(text)) {
		little = binary.LittleEndian.AppendUint16(little, unit)
		big = binary.BigEndian.AppendUint16(big, unit)
	}
	hexadecimal := hex.EncodeToString(raw)
	patterns := []pattern{
		{text, "UTF-8", raw}, {text, "UTF-16", little}, {text, "UTF-16", big},
		{text, "hexadecimal", []byte(hexadecimal)}, {text, "hexadecimal", []byte(strings.ToUpper(hexadecimal))},
	}
	// In base64 a text looks different at each of three offsets. The first and
	// the last character may depend on what stands around it.
	for offset := range 3 {
		for _, encoding := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
			encoded := encoding.EncodeToString(append(make([]byte, offset), raw...))
			first, end := (8*offset+5)/6, 8*(offset+len(raw))/6
			patterns = append(patterns, pattern{text, "base64", []byte(encoded[first:end])})
		}
	}
	return patterns
}
