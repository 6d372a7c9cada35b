package backup

import (
	"archive/tar"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"strings"

	"filippo.io/age"
	"github.com/klauspost/compress/zstd"

	"simora/server/store"
)

// Verify reads a whole backup and checks every file and every row against its
// manifest. It needs room for the data beside dir, which stays as it is.
func Verify(ctx context.Context, in io.Reader, passphrase, dir string) (m Manifest, err error) {
	work, err := os.MkdirTemp(dir, "verify-*")
	if err != nil {
		return m, fmt.Errorf("verify backup: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(work)) }()
	return unpack(ctx, in, passphrase, work)
}

// Restore puts a backup into a data directory that has no database yet. Nothing
// of it is there until all of it was checked.
func Restore(ctx context.Context, in io.Reader, passphrase, dir string) (m Manifest, err error) {
	for _, name := range []string{databaseName, databaseName + "-wal", mediaFolder} {
		if _, err := os.Lstat(filepath.Join(dir, name)); err == nil {
			return m, fmt.Errorf("%s is there already: restore into a directory without data, or move it away first", filepath.Join(dir, name))
		}
	}
	work, err := os.MkdirTemp(dir, "restore-*")
	if err != nil {
		return m, fmt.Errorf("restore backup: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(work)) }()
	if m, err = unpack(ctx, in, passphrase, work); err != nil {
		return m, err
	}
	for _, name := range []string{mediaFolder, databaseName} { // the database last: with it the data is there
		err := os.Rename(filepath.Join(work, name), filepath.Join(dir, name))
		if name == mediaFolder && errors.Is(err, os.ErrNotExist) {
			continue // no picture was backed up
		}
		if err != nil {
			return m, fmt.Errorf("restore backup: %w", err)
		}
	}
	return m, syncDir(dir)
}

func syncDir(dir string) error {
	d, err := os.Open(dir) //nolint:gosec // the data directory
	if err != nil {
		return fmt.Errorf("restore backup: %w", err)
	}
	return errors.Join(d.Sync(), d.Close())
}

func unpack(ctx context.Context, in io.Reader, passphrase, dir string) (m Manifest, err error) {
	identity, err := age.NewScryptIdentity(passphrase)
	if err != nil {
		return m, fmt.Errorf("read backup: %w", err)
	}
	opened, err := age.Decrypt(in, identity)
	if err != nil {
		var wrong *age.NoIdentityMatchError
		if errors.As(err, &wrong) {
			return m, errors.New("this backup was made with other keys: put the key file that belongs to it into the data directory (or set SIMORA_MASTER_KEY)")
		}
		return m, fmt.Errorf("this is no backup, or its head is damaged: %w", err)
	}
	plain, err := zstd.NewReader(opened)
	if err != nil {
		return m, fmt.Errorf("read backup: %w", err)
	}
	defer plain.Close()
	found, err := extract(ctx, tar.NewReader(plain), dir, &m)
	if err != nil {
		return m, fmt.Errorf("the backup is damaged: %w", err)
	}
	if m.Format != format {
		return m, fmt.Errorf("the backup has format %d, this simora reads format %d", m.Format, format)
	}
	if !reflect.DeepEqual(found, m.Files) {
		return m, errors.New("the backup is damaged: its files are not those of its manifest")
	}
	contents, err := store.Inspect(ctx, filepath.Join(dir, databaseName))
	if err != nil {
		return m, err
	}
	if !reflect.DeepEqual(contents, m.Database) {
		return m, errors.New("the backup is damaged: its rows are not those of its manifest")
	}
	return m, nil
}

// extract writes the files and returns what they are; the manifest goes into m.
func extract(ctx context.Context, archive *tar.Reader, dir string, m *Manifest) (found []File, err error) {
	for {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return nil, errors.New("it ends before its manifest")
		}
		if err = errors.Join(err, ctx.Err()); err != nil {
			return nil, err
		}
		if header.Name == manifestName {
			if err := json.NewDecoder(archive).Decode(m); err != nil {
				return nil, fmt.Errorf("manifest: %w", err)
			}
			// To its end, so that what cuts it short is found.
			if _, err := archive.Next(); !errors.Is(err, io.EOF) {
				return nil, errors.Join(errors.New("something follows its manifest"), err)
			}
			return found, nil
		}
		if header.Name != databaseName && (!strings.HasPrefix(header.Name, mediaFolder+"/") || path.Clean(header.Name) != header.Name) {
			return nil, fmt.Errorf("it has a file %q", header.Name)
		}
		file, err := write(archive, dir, header.Name)
		if err != nil {
			return nil, err
		}
		found = append(found, file)
	}
}

func write(from io.Reader, dir, name string) (File, error) {
	target := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(target), 0o700); err != nil {
		return File{}, err
	}
	f, err := os.OpenFile(target, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600) //nolint:gosec // a clean name inside our directory
	if err != nil {
		return File{}, err
	}
	sum := sha256.New()
	size, err := io.Copy(io.MultiWriter(f, sum), from)
	if err == nil {
		err = f.Sync()
	}
	return File{name, size, hex.EncodeToString(sum.Sum(nil))}, errors.Join(err, f.Close())
}
