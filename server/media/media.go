// Package media keeps the files of the public galleries on the local disk.
package media

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"regexp"
	"strings"
)

// Bucket is the one bucket there is.
const Bucket = "industry-media"

// kinds are the types that are taken and served, by the ending of the name.
var kinds = map[string]string{
	".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".png": "image/png", ".gif": "image/gif", ".webp": "image/webp", ".avif": "image/avif",
	".mp4": "video/mp4", ".webm": "video/webm", ".mov": "video/quicktime", ".ogv": "video/ogg",
}

var nameForm = regexp.MustCompile(`^(healthcare|airlines|corporate)/[A-Za-z0-9][A-Za-z0-9._-]{0,199}$`)

// ErrName is a name that no object can have.
var ErrName = errors.New("invalid object name")

// Kind is the media type of an object, or empty for one that is not taken.
func Kind(name string) string { return kinds[strings.ToLower(path.Ext(name))] }

// Disk holds the objects below one directory.
type Disk struct{ root *os.Root }

// Open uses dir, and makes it if it is not there.
func Open(dir string) (*Disk, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("media directory: %w", err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("media directory: %w", err)
	}
	return &Disk{root}, nil
}

// Close releases the directory.
func (d *Disk) Close() error { return d.root.Close() }

// Get opens an object, which the caller closes. It is ErrName, or
// fs.ErrNotExist for one that is not there.
func (d *Disk) Get(name string) (*os.File, error) {
	if !nameForm.MatchString(name) || Kind(name) == "" {
		return nil, ErrName
	}
	f, err := d.root.Open(path.Join(Bucket, name))
	if err != nil {
		return nil, fmt.Errorf("open object: %w", err)
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fs.ErrNotExist
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}
