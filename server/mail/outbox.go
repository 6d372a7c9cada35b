package mail

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"mime"
	netmail "net/mail"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"simora/server/keyring"
)

// How the files of letters end.
const (
	readable = ".eml"
	sealed   = ".sealed"
)

// Outbox is the directory of letters that were written as files.
type Outbox struct {
	Dir  string
	Keys *keyring.Keyring
}

// Kept is a letter in it. Subject is empty when the letter can't be read.
type Kept struct {
	ID      string
	At      time.Time
	Subject string
}

func filePlace(id string) keyring.Place {
	return keyring.Place{Table: "outbox", Column: "file", Row: id}
}

// ErrNoLetter is an id that no letter has.
var ErrNoLetter = errors.New("there is no such letter: see simora outbox list")

// List finds all letters, the oldest first.
func (o Outbox) List() ([]Kept, error) {
	var list []Kept
	err := o.each(func(id, _ string, info fs.FileInfo) error {
		k := Kept{ID: id, At: info.ModTime()}
		if raw, err := o.Show(id); err == nil {
			if letter, err := netmail.ReadMessage(strings.NewReader(string(raw))); err == nil {
				k.Subject, _ = (&mime.WordDecoder{}).DecodeHeader(letter.Header.Get("Subject"))
			}
		}
		list = append(list, k)
		return nil
	})
	slices.SortFunc(list, func(a, b Kept) int { return a.At.Compare(b.At) })
	return list, err
}

// Show returns a letter as it would go over the wire. Errors: ErrNoLetter,
// keyring.ErrDestroyed.
func (o Outbox) Show(id string) ([]byte, error) {
	if id != filepath.Base(id) {
		return nil, ErrNoLetter
	}
	raw, err := os.ReadFile(filepath.Join(o.Dir, id+readable)) //nolint:gosec // id is no path
	if err == nil || !errors.Is(err, fs.ErrNotExist) {
		return raw, err
	}
	raw, err = os.ReadFile(filepath.Join(o.Dir, id+sealed)) //nolint:gosec // as above
	if errors.Is(err, fs.ErrNotExist) {
		return nil, ErrNoLetter
	}
	if err != nil {
		return nil, err
	}
	return o.Keys.Open(filePlace(id), raw)
}

// purgeAge lets a letter be that was written a moment ago, whose row may not be
// seen yet.
const purgeAge = time.Hour

// Purge deletes the letters whose row has gone, and returns how many. has tells
// whether there is a row.
func (o Outbox) Purge(ctx context.Context, now time.Time, has func(ctx context.Context, id string) (bool, error)) (n int, err error) {
	err = o.each(func(id, name string, info fs.FileInfo) error {
		if now.Sub(info.ModTime()) < purgeAge {
			return nil
		}
		there, err := has(ctx, id)
		if err != nil || there {
			return err
		}
		n++
		return os.Remove(filepath.Join(o.Dir, name))
	})
	return n, err
}

// Remove deletes letters, if they are there.
func (o Outbox) Remove(ids []string) error {
	for _, id := range ids {
		for _, ending := range []string{readable, sealed} {
			if err := os.Remove(filepath.Join(o.Dir, filepath.Base(id)+ending)); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return fmt.Errorf("remove letter: %w", err)
			}
		}
	}
	return nil
}

func (o Outbox) each(one func(id, name string, info fs.FileInfo) error) error {
	entries, err := os.ReadDir(o.Dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("outbox directory: %w", err)
	}
	for _, entry := range entries {
		ending := filepath.Ext(entry.Name())
		info, err := entry.Info()
		if err != nil || (ending != readable && ending != sealed) {
			continue
		}
		if err := one(strings.TrimSuffix(entry.Name(), ending), entry.Name(), info); err != nil {
			return fmt.Errorf("outbox directory: %w", err)
		}
	}
	return nil
}
