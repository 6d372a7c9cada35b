package media

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path"
)

// Reach reports whether objects can be stored now: on the disk by writing an
// empty file, in a bucket by asking for it.
func (l *Library) Reach(ctx context.Context) error { return l.shelf.reach(ctx) }

func (d disk) reach(context.Context) error {
	if err := d.root.MkdirAll(incoming, 0o700); err != nil {
		return fmt.Errorf("write media directory: %w", err)
	}
	name := path.Join(incoming, rand.Text())
	f, err := d.root.OpenFile(name, os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("write media directory: %w", err)
	}
	return errors.Join(f.Close(), d.root.Remove(name))
}

func (b bucket) reach(ctx context.Context) error {
	there, err := b.client.BucketExists(ctx, b.name)
	if err != nil {
		return fmt.Errorf("look at bucket: %w", err)
	}
	if !there {
		return errors.New("the media bucket does not exist: create it, or correct SIMORA_MEDIA_URL")
	}
	return nil
}
