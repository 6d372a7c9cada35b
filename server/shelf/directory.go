package shelf

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// directory keeps each record as a file with mode 0600.
type directory struct{ root *os.Root }

func openDirectory(dir string) (Shelf, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("open shelf: %w", err)
	}
	info, err := os.Stat(dir)
	if err != nil {
		return nil, fmt.Errorf("open shelf: %w", err)
	}
	if info.Mode().Perm()&0o077 != 0 {
		return nil, fmt.Errorf("directory %s has mode %04o, others can read it: run chmod 700 on it", dir, info.Mode().Perm())
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("open shelf: %w", err)
	}
	return directory{root}, nil
}

func (d directory) Get(_ context.Context, name string) ([]byte, error) {
	if err := check(name); err != nil {
		return nil, err
	}
	value, err := d.root.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("read record: %w", err)
	}
	return value, nil
}

func (d directory) Create(_ context.Context, name string, value []byte) error {
	// A link fails where a rename would replace.
	return d.write(name, value, d.root.Link)
}

func (d directory) Put(_ context.Context, name string, value []byte) error {
	return d.write(name, value, d.root.Rename)
}

// write makes the record whole and durable under another name first.
func (d directory) write(name string, value []byte, place func(from, to string) error) error {
	if err := check(name); err != nil {
		return err
	}
	if err := d.mkdir(path.Dir(name)); err != nil {
		return fmt.Errorf("write record: %w", err)
	}
	draft, err := os.CreateTemp(filepath.Join(d.root.Name(), path.Dir(name)), draftOf(name)) // mode 0600
	if err != nil {
		return fmt.Errorf("write record: %w", err)
	}
	own := path.Join(path.Dir(name), filepath.Base(draft.Name()))
	defer func() { _ = d.root.Remove(own) }() // a rename took it already
	if _, err = draft.Write(value); err == nil {
		err = draft.Sync()
	}
	if err = errors.Join(err, draft.Close()); err == nil {
		err = place(own, name)
	}
	if err == nil {
		err = d.sync(path.Dir(name))
	}
	if err != nil {
		return fmt.Errorf("write record: %w", err)
	}
	return nil
}

// draftOf is the pattern of a record's unfinished files.
func draftOf(name string) string { return "." + path.Base(name) + ".new-*" }

// mkdir makes a folder and, when it is new, its entry durable.
func (d directory) mkdir(dir string) error {
	if _, err := d.root.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := d.root.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	for up := dir; up != "."; {
		up = path.Dir(up)
		if err := d.sync(up); err != nil {
			return err
		}
	}
	return nil
}

func (d directory) Delete(_ context.Context, name string) error {
	if err := check(name); err != nil {
		return err
	}
	// What a killed process left unfinished holds the record, too.
	drafts, err := fs.Glob(d.root.FS(), path.Join(path.Dir(name), draftOf(name)))
	for _, file := range append(drafts, name) {
		if gone := d.root.Remove(file); !errors.Is(gone, fs.ErrNotExist) {
			err = errors.Join(err, gone)
		}
	}
	if err == nil {
		err = d.sync(path.Dir(name))
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) { // not even its folder is there
		return fmt.Errorf("delete record: %w", err)
	}
	return nil
}

func (d directory) List(_ context.Context, prefix string) ([]string, error) {
	names := []string{}
	err := fs.WalkDir(d.root.FS(), ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist): // deleted while we look
			return nil
		case err != nil:
			return err
		case entry.IsDir() && name != "." && !strings.HasPrefix(name+"/", prefix) && !strings.HasPrefix(prefix, name+"/"):
			return fs.SkipDir
		case entry.Type().IsRegular() && strings.HasPrefix(name, prefix) && check(name) == nil:
			names = append(names, name)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("list records: %w", err)
	}
	return names, nil
}

func (d directory) sync(dir string) error {
	f, err := d.root.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
