package mail

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"simora/server/store"
)

// files writes each letter as an .eml file, which any mail program opens.
type files struct {
	dir  string
	from string
}

func newFiles(dir, from string) (*files, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("outbox directory: %w", err)
	}
	if err := removeUnfinished(dir); err != nil {
		return nil, fmt.Errorf("outbox directory: %w", err)
	}
	return &files{dir, from}, nil
}

const unfinished = ".letter-*"

// removeUnfinished clears away what a killed process left. A letter that
// another process is writing right now is tried again.
func removeUnfinished(dir string) error {
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		if left, _ := filepath.Match(unfinished, e.Name()); left {
			if gone := os.Remove(filepath.Join(dir, e.Name())); !errors.Is(gone, fs.ErrNotExist) {
				err = errors.Join(err, gone)
			}
		}
	}
	return err
}

// Send writes under a temporary name, makes it durable, and gives it its name:
// an .eml file is always whole. The same letter sent twice is one file.
func (f *files) Send(ctx context.Context, l store.Letter) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	m, err := message(l, f.from)
	if err != nil {
		return err
	}
	tmp, err := os.CreateTemp(f.dir, unfinished) // mode 0600
	if err != nil {
		return fmt.Errorf("write letter: %w", err)
	}
	defer func() { _ = os.Remove(tmp.Name()) }() // gone already when all went well
	if _, err = m.WriteTo(tmp); err == nil {
		err = tmp.Sync()
	}
	if err = errors.Join(err, tmp.Close()); err != nil {
		return fmt.Errorf("write letter: %w", err)
	}
	if err := os.Rename(tmp.Name(), filepath.Join(f.dir, fileName(l))); err != nil {
		return fmt.Errorf("write letter: %w", err)
	}
	return syncDir(f.dir)
}

// RemoveFiles removes letters, by their ids, from the directory of .eml files.
func RemoveFiles(dir string, ids []string) error {
	for _, id := range ids {
		err := os.Remove(filepath.Join(dir, fileName(store.Letter{MessageID: id})))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("remove letter: %w", err)
		}
	}
	return nil
}

// fileName is made of the message id only: an address in a file name would be
// readable in every listing.
func fileName(l store.Letter) string {
	id, _, _ := strings.Cut(strings.Trim(l.MessageID, "<>"), "@")
	keep := func(r rune) rune {
		if r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r == '-' {
			return r
		}
		return -1
	}
	return strings.Map(keep, strings.ToLower(id)) + ".eml"
}

func syncDir(dir string) error {
	d, err := os.Open(dir) //nolint:gosec // the outbox directory
	if err != nil {
		return fmt.Errorf("write letter: %w", err)
	}
	return errors.Join(d.Sync(), d.Close())
}
