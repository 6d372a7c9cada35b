// Package shelf keeps small records by name, apart from the database and from
// its backups: what is deleted here comes back with no old copy of the
// database.
package shelf

import (
	"context"
	"fmt"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"

	"simora/server/bucket"
)

// Shelf keeps records of a few kilobytes. A change is durable, and seen by
// every process that shares the place, when its call has returned. A reader
// sees a record whole, before or after a change. It is safe for concurrent use.
//
// A name is lower-case letters, digits, dots, dashes and underlines, with
// slashes between its parts; no part begins with a dot.
type Shelf interface {
	// Get reads a record, or is fs.ErrNotExist.
	Get(ctx context.Context, name string) ([]byte, error)
	// Create adds a record; of several callers one succeeds, the others get
	// fs.ErrExist.
	Create(ctx context.Context, name string, value []byte) error
	// Put adds or replaces a record.
	Put(ctx context.Context, name string, value []byte) error
	// Delete removes a record, if it is there.
	Delete(ctx context.Context, name string) error
	// List returns the names that begin with prefix, sorted.
	List(ctx context.Context, prefix string) ([]string, error)
}

// Open returns the shelf at an address: file:///dir, s3://key:secret@host/bucket
// (as package bucket reads it), or nothing for the directory dir.
func Open(ctx context.Context, address, dir string) (Shelf, error) {
	switch {
	case address == "":
		return openDirectory(dir)
	case strings.HasPrefix(address, "file:"):
		u, err := url.Parse(address)
		if err != nil || u.Host != "" || !filepath.IsAbs(u.Path) {
			return nil, fmt.Errorf("found %q, which is not of the form file:///absolute/directory", address)
		}
		return openDirectory(filepath.Clean(u.Path))
	}
	b, err := bucket.Open(address)
	if err != nil {
		return nil, err
	}
	return openBucket(ctx, b)
}

var nameForm = regexp.MustCompile(`^[a-z0-9_-][a-z0-9._-]*(/[a-z0-9_-][a-z0-9._-]*)*$`)

func check(name string) error {
	if len(name) > 200 || !nameForm.MatchString(name) {
		return fmt.Errorf("%q can't be the name of a record", name)
	}
	return nil
}
