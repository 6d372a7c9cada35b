// Package media keeps the files of the public galleries, on the local disk or
// in an S3 bucket.
package media

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"image"
	_ "image/gif" // the formats whose size can be read
	_ "image/jpeg"
	_ "image/png"
	"io"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"

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

// Object is one that is being read. The caller closes it.
type Object struct {
	io.ReadSeekCloser

	Size    int64
	ModTime time.Time
}

// shelf is where published objects lie.
type shelf interface {
	get(ctx context.Context, name string) (Object, error) // fs.ErrNotExist
	// publish takes a checked file under a new name; ErrExists when it is taken.
	publish(ctx context.Context, draft *os.File, name string) error
	remove(ctx context.Context, name string) (bool, error)
}

// Library keeps the objects. Uploads are checked in a local file first,
// wherever they end up.
type Library struct {
	root  *os.Root
	shelf shelf
}

// Open keeps objects below dir, or in the S3 bucket that address names:
// s3://key:secret@host/bucket?region=eu-central-1 (s3+http:// without TLS).
func Open(dir, address string) (*Library, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("media directory: %w", err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("media directory: %w", err)
	}
	if address == "" {
		return &Library{root, disk{root}}, nil
	}
	bucket, err := openBucket(address)
	if err != nil {
		return nil, errors.Join(err, root.Close())
	}
	return &Library{root, bucket}, nil
}

// Close releases the directory.
func (l *Library) Close() error { return l.root.Close() }

// Get opens an object. It is ErrName, or fs.ErrNotExist for one that is not
// there.
func (l *Library) Get(ctx context.Context, name string) (Object, error) {
	if !nameForm.MatchString(name) || Kind(name) == "" {
		return Object{}, ErrName
	}
	return l.shelf.get(ctx, name)
}

// Remove deletes an object and reports whether it was there.
func (l *Library) Remove(ctx context.Context, name string) (bool, error) {
	if !nameForm.MatchString(name) {
		return false, nil
	}
	return l.shelf.remove(ctx, name)
}

// incoming holds what is not published yet.
const incoming = ".incoming"

// Put stores an object under a new name. Its type is decided by its bytes and
// has to be the one that the name says. It is there, whole and for good, when
// Put returns, or not at all.
//
// Errors: ErrName, ErrExists, ErrTooLarge, ErrEmpty, *KindError.
func (l *Library) Put(ctx context.Context, name string, content io.Reader) (err error) {
	if !nameForm.MatchString(name) {
		return ErrName
	}
	if Kind(name) == "" {
		return &KindError{path.Ext(name)}
	}
	head := make([]byte, sniffed)
	n, err := io.ReadFull(content, head)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
		return fmt.Errorf("read object: %w", err)
	}
	head = head[:n]
	if n == 0 {
		return ErrEmpty
	}
	if found := mimetype.Detect(head).String(); !agrees(found, Kind(name)) {
		return &KindError{found}
	}
	if err := l.root.MkdirAll(incoming, 0o700); err != nil {
		return fmt.Errorf("store object: %w", err)
	}
	path := path.Join(incoming, rand.Text())
	draft, err := l.root.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("store object: %w", err)
	}
	defer func() { _ = errors.Join(draft.Close(), l.root.Remove(path)) }()
	size, err := io.Copy(draft, io.LimitReader(io.MultiReader(bytes.NewReader(head), content), MaxBytes+1))
	switch {
	case err != nil:
		return fmt.Errorf("receive object: %w", err)
	case size > MaxBytes:
		return ErrTooLarge
	}
	if strings.HasPrefix(Kind(name), "image/") {
		if err := checkPicture(draft); err != nil {
			return err
		}
	}
	return l.shelf.publish(ctx, draft, name)
}

// checkPicture wants a picture whose size can be read and is not a trap.
func checkPicture(draft io.ReadSeeker) error {
	if _, err := draft.Seek(0, io.SeekStart); err != nil {
		return fmt.Errorf("look at object: %w", err)
	}
	config, format, err := image.DecodeConfig(draft)
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
