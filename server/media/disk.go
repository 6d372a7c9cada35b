package media

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"time"
)

// disk is a folder of the media directory.
type disk struct{ root *os.Root }

func (d disk) get(_ context.Context, name string) (Object, error) {
	f, err := d.root.Open(path.Join(Bucket, name))
	if err != nil {
		return Object{}, fmt.Errorf("open object: %w", err)
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fs.ErrNotExist
	}
	if err != nil {
		return Object{}, errors.Join(err, f.Close())
	}
	return Object{f, info.Size(), info.ModTime()}, nil
}

func (d disk) publish(_ context.Context, draft *os.File, name string) error {
	if err := draft.Sync(); err != nil {
		return fmt.Errorf("publish object: %w", err)
	}
	target := path.Join(Bucket, name)
	if err := d.root.MkdirAll(path.Dir(target), 0o700); err != nil {
		return fmt.Errorf("publish object: %w", err)
	}
	// A link fails where a rename would replace.
	err := d.root.Link(path.Join(incoming, path.Base(draft.Name())), target)
	if errors.Is(err, fs.ErrExist) {
		return ErrExists
	}
	if err != nil {
		return fmt.Errorf("publish object: %w", err)
	}
	return d.sync(path.Dir(target))
}

func (d disk) remove(_ context.Context, name string) (bool, error) {
	err := d.root.Remove(path.Join(Bucket, name))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("remove object: %w", err)
	}
	return true, d.sync(path.Join(Bucket, path.Dir(name)))
}

// sync makes a change of a folder last.
func (d disk) sync(dir string) error {
	f, err := d.root.Open(dir)
	if err != nil {
		return fmt.Errorf("publish object: %w", err)
	}
	if err := errors.Join(f.Sync(), f.Close()); err != nil {
		return fmt.Errorf("publish object: %w", err)
	}
	return nil
}

func (d disk) before(_ context.Context, t time.Time) ([]string, error) {
	var names []string
	for _, folder := range folders {
		found, err := fs.ReadDir(d.root.FS(), path.Join(Bucket, folder))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("list objects: %w", err)
		}
		for _, entry := range found {
			if info, err := entry.Info(); err == nil && info.Mode().IsRegular() && info.ModTime().Before(t) {
				names = append(names, folder+"/"+entry.Name())
			}
		}
	}
	return names, nil
}
