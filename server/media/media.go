// Package media keeps the files of the public galleries on the local disk.
package media

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"image"
	_ "image/gif" // the formats whose size can be read
	_ "image/jpeg"
	_ "image/png"
	"io"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/gabriel-vasile/mimetype"
	_ "golang.org/x/image/webp"
)

// Bucket is the one bucket there is.
const Bucket = "industry-media"

// kinds are the types that are taken and served, by the ending of the name.
var kinds = map[string]string{
	".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".png": "image/png", ".gif": "image/gif", ".webp": "image/webp", ".avif": "image/avif",
	".mp4": "video/mp4", ".webm": "video/webm", ".mov": "video/quicktime", ".ogv": "video/ogg",
}

const (
	sniffed   = 3072
	maxPixels = 50_000_000
)

var nameForm = regexp.MustCompile(`^(healthcare|airlines|corporate)/[A-Za-z0-9][A-Za-z0-9._-]{0,199}$`)

// MaxBytes is the size of the largest object.
const MaxBytes = 100 << 20

// What can be wrong with an object.
var (
	ErrName     = errors.New("invalid object name")
	ErrExists   = errors.New("the object is there already")
	ErrTooLarge = errors.New("the object is larger than 100 MiB")
	ErrEmpty    = errors.New("the object is empty")
)

// KindError is content that is not of a type that is taken, or not of the type
// that the name says.
type KindError struct{ Found string }

func (e *KindError) Error() string { return "mime type " + e.Found + " is not supported" }

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

// incoming holds what is not published yet.
const incoming = ".incoming"

// Put stores an object under a new name. Its type is decided by its bytes and
// has to be the one that the name says. It is there, whole and on the disk,
// when Put returns, or not at all.
//
// Errors: ErrName, ErrExists, ErrTooLarge, ErrEmpty, *KindError.
func (d *Disk) Put(name string, content io.Reader) (size int64, err error) {
	if !nameForm.MatchString(name) {
		return 0, ErrName
	}
	if Kind(name) == "" {
		return 0, &KindError{path.Ext(name)}
	}
	head := make([]byte, sniffed)
	n, err := io.ReadFull(content, head)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
		return 0, fmt.Errorf("read object: %w", err)
	}
	head = head[:n]
	if n == 0 {
		return 0, ErrEmpty
	}
	if found := mimetype.Detect(head).String(); !agrees(found, Kind(name)) {
		return 0, &KindError{found}
	}
	if err := d.root.MkdirAll(incoming, 0o700); err != nil {
		return 0, fmt.Errorf("store object: %w", err)
	}
	target := path.Join(Bucket, name)
	if err := d.root.MkdirAll(path.Dir(target), 0o700); err != nil {
		return 0, fmt.Errorf("store object: %w", err)
	}
	draft := path.Join(incoming, rand.Text())
	defer func() { _ = d.root.Remove(draft) }()
	size, err = d.write(draft, io.MultiReader(bytes.NewReader(head), content))
	if err != nil {
		return 0, err
	}
	if strings.HasPrefix(Kind(name), "image/") {
		if err := d.checkPicture(draft); err != nil {
			return 0, err
		}
	}
	// A link fails where a rename would replace.
	if err := d.root.Link(draft, target); errors.Is(err, fs.ErrExist) {
		return 0, ErrExists
	} else if err != nil {
		return 0, fmt.Errorf("publish object: %w", err)
	}
	return size, d.sync(path.Dir(target))
}

func (d *Disk) write(draft string, content io.Reader) (size int64, err error) {
	f, err := d.root.OpenFile(draft, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return 0, fmt.Errorf("store object: %w", err)
	}
	size, err = io.Copy(f, io.LimitReader(content, MaxBytes+1))
	if err == nil && size > MaxBytes {
		err = ErrTooLarge
	}
	if err == nil {
		err = f.Sync()
	}
	return size, errors.Join(err, f.Close())
}

// checkPicture wants a picture whose size can be read and is not a trap.
func (d *Disk) checkPicture(draft string) error {
	f, err := d.root.Open(draft)
	if err != nil {
		return fmt.Errorf("look at object: %w", err)
	}
	defer func() { _ = f.Close() }()
	config, format, err := image.DecodeConfig(f)
	switch {
	case errors.Is(err, image.ErrFormat): // AVIF: there is no decoder for it here
		return nil
	case err != nil:
		return &KindError{"broken image"}
	case config.Width < 1 || config.Height < 1 || config.Width*config.Height > maxPixels:
		return &KindError{fmt.Sprintf("%s of %d x %d pixels", format, config.Width, config.Height)}
	}
	return nil
}

func (d *Disk) sync(dir string) error {
	f, err := d.root.Open(dir)
	if err != nil {
		return fmt.Errorf("publish object: %w", err)
	}
	if err := errors.Join(f.Sync(), f.Close()); err != nil {
		return fmt.Errorf("publish object: %w", err)
	}
	return nil
}

// Remove deletes an object and reports whether it was there.
func (d *Disk) Remove(name string) (bool, error) {
	if !nameForm.MatchString(name) {
		return false, nil
	}
	err := d.root.Remove(path.Join(Bucket, name))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("remove object: %w", err)
	}
	return true, d.sync(path.Dir(path.Join(Bucket, name)))
}

// agrees compares what the bytes are with what the name says.
func agrees(found, named string) bool {
	found, _, _ = strings.Cut(found, ";")
	if found == named {
		return true
	}
	// One container, several names.
	boxes := []string{"video/mp4", "video/quicktime", "video/x-m4v"}
	return slices.Contains(boxes, found) && slices.Contains(boxes, named) || found == "application/ogg" && named == "video/ogg" || found == "video/x-matroska" && named == "video/webm"
}

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
