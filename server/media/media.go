// Package media keeps the files of the public galleries, on the local disk or
// in an S3 bucket.
package media

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/gabriel-vasile/mimetype"

	"simora/server/outbound"
)

// Bucket is the one bucket there is.
const Bucket = "industry-media"

// kinds are the types that are taken and served, by the ending of the name.
var kinds = map[string]string{
	".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".png": "image/png", ".gif": "image/gif", ".webp": "image/webp", ".avif": "image/avif",
	".mp4": "video/mp4", ".webm": "video/webm", ".mov": "video/quicktime", ".ogv": "video/ogg",
}

const sniffed = 3072

// folders are the industries.
var folders = []string{"healthcare", "airlines", "corporate"}

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
	// before lists the objects, not the thumbnails, that are older than t.
	before(ctx context.Context, t time.Time) ([]string, error)
	reach(ctx context.Context) error
}

// Library keeps the objects. Uploads are checked in a local file first,
// wherever they end up.
type Library struct {
	root     *os.Root
	shelf    shelf
	pictures chan struct{} // held while one is decoded, which takes memory
}

// Open keeps objects below dir, or in the S3 bucket that address names:
// s3://key:secret@host/bucket?region=eu-central-1 (s3+http:// without TLS).
// network is the way to it; nil: one with this bucket only.
func Open(dir, address string, network *outbound.Network) (*Library, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("media directory: %w", err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("media directory: %w", err)
	}
	if address == "" {
		return &Library{root, disk{root}, make(chan struct{}, 1)}, nil
	}
	bucket, err := openBucket(address, network)
	if err != nil {
		return nil, errors.Join(err, root.Close())
	}
	return &Library{root, bucket, make(chan struct{}, 1)}, nil
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

// Thumbnail opens a smaller version of a picture, or the object itself where
// there is none. Errors as in Get.
func (l *Library) Thumbnail(ctx context.Context, name string) (object Object, kind string, err error) {
	if !nameForm.MatchString(name) || Kind(name) == "" {
		return Object{}, "", ErrName
	}
	small := thumbnail(name)
	if object, err = l.shelf.get(ctx, small); err == nil {
		return object, Kind(small), nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return Object{}, "", err
	}
	object, err = l.shelf.get(ctx, name)
	return object, Kind(name), err
}

// thumbnail is a name that no object can have.
func thumbnail(name string) string { return ".thumbnails/" + name + ".jpg" }

// Facts are what is known of an object. Films have no width and height here.
type Facts struct {
	Size          int64 // bytes
	ModTime       time.Time
	Kind          string
	Width, Height int // pixels as shown
}

// Look reads an object's facts. Errors as in Get.
func (l *Library) Look(ctx context.Context, name string) (Facts, error) {
	object, err := l.Get(ctx, name)
	if err != nil {
		return Facts{}, err
	}
	defer func() { _ = object.Close() }()
	facts := Facts{Size: object.Size, ModTime: object.ModTime, Kind: Kind(name)}
	if isPicture(name) {
		p, err := readPicture(object, facts.Kind)
		if err != nil {
			return Facts{}, fmt.Errorf("look at %s: %w", name, err)
		}
		facts.Width, facts.Height = p.shown()
	}
	return facts, nil
}

func isPicture(name string) bool { return strings.HasPrefix(Kind(name), "image/") }

// Remove deletes an object and its thumbnail, and reports whether it was there.
func (l *Library) Remove(ctx context.Context, name string) (bool, error) {
	if !nameForm.MatchString(name) {
		return false, nil
	}
	was, err := l.shelf.remove(ctx, name)
	if err != nil {
		return was, err
	}
	_, err = l.shelf.remove(ctx, thumbnail(name))
	return was, err
}

// orphanAge is time enough to enter an upload in the gallery.
const orphanAge = 24 * time.Hour

// RemoveOrphans deletes what was uploaded a day before now and is not in the
// gallery, and what an upload left that was cut off by a crash. listed tells
// what the gallery names; it is asked after the objects were looked up.
func (l *Library) RemoveOrphans(ctx context.Context, now time.Time, listed func(context.Context) (map[string]bool, error)) (removed int, err error) {
	before := now.Add(-orphanAge)
	names, err := l.shelf.before(ctx, before)
	if err != nil {
		return 0, err
	}
	keep, err := listed(ctx)
	if err != nil {
		return 0, err
	}
	for _, name := range names {
		if keep[name] {
			continue
		}
		if _, err := l.Remove(ctx, name); err != nil {
			return removed, err
		}
		removed++
	}
	return removed, l.removeDrafts(before)
}

func (l *Library) removeDrafts(before time.Time) error {
	drafts, err := fs.ReadDir(l.root.FS(), incoming)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("list drafts: %w", err)
	}
	for _, draft := range drafts {
		if info, err := draft.Info(); err != nil || !info.ModTime().Before(before) {
			continue // gone, or in work
		}
		if err := l.root.Remove(path.Join(incoming, draft.Name())); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("remove draft: %w", err)
		}
	}
	return nil
}

// incoming holds what is not published yet.
const incoming = ".incoming"

// draft is a new file for what is not published yet. discard has to be called.
func (l *Library) draft() (f *os.File, discard func(), err error) {
	if err := l.root.MkdirAll(incoming, 0o700); err != nil {
		return nil, nil, fmt.Errorf("store object: %w", err)
	}
	path := path.Join(incoming, rand.Text())
	f, err = l.root.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, nil, fmt.Errorf("store object: %w", err)
	}
	return f, func() { _ = errors.Join(f.Close(), l.root.Remove(path)) }, nil
}

// Put stores an object under a new name. Its type is decided by its bytes and
// has to be the one that the name says. What pictures, MP4 and QuickTime films
// tell of their maker is taken out. The object is there, whole and for good,
// when Put returns, or not at all.
//
// Errors: ErrName, ErrExists, ErrTooLarge, ErrEmpty, *KindError.
func (l *Library) Put(ctx context.Context, name string, content io.Reader) error {
	if !nameForm.MatchString(name) {
		return ErrName
	}
	if Kind(name) == "" {
		return &KindError{path.Ext(name)}
	}
	draft, discard, err := l.draft()
	if err != nil {
		return err
	}
	defer discard()
	if err := receive(draft, content, Kind(name)); err != nil {
		return err
	}
	switch {
	case isPicture(name):
		return l.putPicture(ctx, name, draft)
	case slices.Contains(boxed, Kind(name)):
		if err := erasePrivateBoxes(draft); err != nil {
			return err
		}
	}
	return l.shelf.publish(ctx, draft, name)
}

// receive writes content of the right kind and size to a draft.
func receive(draft io.Writer, content io.Reader, kind string) error {
	head := make([]byte, sniffed)
	n, err := io.ReadFull(content, head)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
		return fmt.Errorf("read object: %w", err)
	}
	head = head[:n]
	if n == 0 {
		return ErrEmpty
	}
	if found := mimetype.Detect(head).String(); !agrees(found, kind) {
		return &KindError{found}
	}
	size, err := io.Copy(draft, io.LimitReader(io.MultiReader(bytes.NewReader(head), content), MaxBytes+1))
	switch {
	case err != nil:
		return fmt.Errorf("receive object: %w", err)
	case size > MaxBytes:
		return ErrTooLarge
	}
	return nil
}

// putPicture publishes a checked and cleaned picture with its thumbnail.
func (l *Library) putPicture(ctx context.Context, name string, raw *os.File) error {
	p, err := readPicture(raw, Kind(name))
	if err != nil {
		return err
	}
	clean, discard, err := l.draft()
	if err != nil {
		return err
	}
	defer discard()
	if err := withoutPrivate(clean, raw, Kind(name), p); err != nil {
		return err
	}
	small, discardSmall, err := l.draft()
	if err != nil {
		return err
	}
	defer discardSmall()
	worthIt, err := l.thumbnail(ctx, small, clean, Kind(name), p)
	if err != nil {
		return err
	}
	if err := l.shelf.publish(ctx, clean, name); err != nil || !worthIt {
		return err
	}
	if err := l.shelf.publish(ctx, small, thumbnail(name)); err != nil && !errors.Is(err, ErrExists) {
		_, undo := l.shelf.remove(context.WithoutCancel(ctx), name)
		return errors.Join(err, undo)
	}
	return nil
}

// thumbnail decodes one picture at a time.
func (l *Library) thumbnail(ctx context.Context, small, whole *os.File, kind string, p picture) (bool, error) {
	select {
	case l.pictures <- struct{}{}:
	case <-ctx.Done():
		return false, ctx.Err()
	}
	defer func() { <-l.pictures }()
	return writeThumbnail(small, whole, kind, p)
}

// boxed are one container of several names.
var boxed = []string{"video/mp4", "video/quicktime", "video/x-m4v"}

// agrees compares what the bytes are with what the name says.
func agrees(found, named string) bool {
	found, _, _ = strings.Cut(found, ";")
	if found == named {
		return true
	}
	return slices.Contains(boxed, found) && slices.Contains(boxed, named) || found == "application/ogg" && named == "video/ogg" || found == "video/x-matroska" && named == "video/webm"
}
