// Package backup writes the embedded data into one encrypted file, and reads it
// back:
//
//	database copy ┐
//	media files   ┼─▶ tar ─▶ zstd ─▶ age ─▶ file
//	manifest      ┘
//
// The keys are not in it: whoever has only the file can read nothing.
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
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"filippo.io/age"
	"github.com/klauspost/compress/zstd"

	"simora/server/store"
)

const (
	format       = 1
	databaseName = "simora.db"
	mediaFolder  = "media"
	manifestName = "manifest.json" // comes last: a cut file has none

	// The passphrase is a random key of 256 bits: stretching it adds nothing.
	workFactor = 10
)

// Manifest says what a backup holds.
type Manifest struct {
	Format   int            `json:"format"`
	At       time.Time      `json:"at"`
	Version  string         `json:"version"` // of the program
	Database store.Contents `json:"database"`
	Files    []File         `json:"files"`
}

// File is one entry.
type File struct {
	Name   string `json:"name"`
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"`
}

// Size is the sum of all files in bytes.
func (m Manifest) Size() (n int64) {
	for _, f := range m.Files {
		n += f.Size
	}
	return n
}

// Source is what is backed up.
type Source struct {
	Store   *store.Store
	Dir     string // the data directory
	Version string
	At      time.Time
}

// Write writes a backup of what is stored now, while others go on writing.
func Write(ctx context.Context, out io.Writer, s Source, passphrase string) (m Manifest, err error) {
	work, err := os.MkdirTemp(s.Dir, "backup-*")
	if err != nil {
		return m, fmt.Errorf("back up: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(work)) }()
	copied := filepath.Join(work, databaseName)
	if err := s.Store.Snapshot(ctx, copied); err != nil {
		return m, err
	}
	m = Manifest{Format: format, At: s.At.UTC(), Version: s.Version}
	if m.Database, err = store.Inspect(ctx, copied); err != nil {
		return m, err
	}
	recipient, err := age.NewScryptRecipient(passphrase)
	if err != nil {
		return m, fmt.Errorf("back up: %w", err)
	}
	recipient.SetWorkFactor(workFactor)
	sealed, err := age.Encrypt(out, recipient)
	if err != nil {
		return m, fmt.Errorf("back up: %w", err)
	}
	packed, err := zstd.NewWriter(sealed)
	if err != nil {
		return m, fmt.Errorf("back up: %w", err)
	}
	archive := tar.NewWriter(packed)
	if err := m.addAll(ctx, archive, copied, filepath.Join(s.Dir, mediaFolder)); err != nil {
		return m, fmt.Errorf("back up: %w", err)
	}
	return m, errors.Join(archive.Close(), packed.Close(), sealed.Close())
}

func (m *Manifest) addAll(ctx context.Context, archive *tar.Writer, database, media string) error {
	if err := m.add(archive, database, databaseName); err != nil {
		return err
	}
	err := filepath.WalkDir(media, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil // no media yet, or taken away this moment
		case err != nil || ctx.Err() != nil:
			return errors.Join(err, ctx.Err())
		case entry.IsDir() && strings.HasPrefix(entry.Name(), "."):
			return fs.SkipDir // uploads on their way in, as they came
		case !entry.Type().IsRegular():
			return nil
		}
		relative, err := filepath.Rel(media, path)
		if err != nil {
			return err
		}
		if err := m.add(archive, path, mediaFolder+"/"+filepath.ToSlash(relative)); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	})
	if err != nil {
		return err
	}
	text, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	if err := archive.WriteHeader(&tar.Header{Name: manifestName, Mode: 0o600, Size: int64(len(text)), ModTime: m.At}); err != nil {
		return err
	}
	_, err = archive.Write(text)
	return err
}

func (m *Manifest) add(archive *tar.Writer, path, name string) error {
	f, err := os.Open(path) //nolint:gosec // inside the data directory
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }() // read only
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if err := archive.WriteHeader(&tar.Header{Name: name, Mode: 0o600, Size: info.Size(), ModTime: info.ModTime()}); err != nil {
		return err
	}
	sum := sha256.New()
	if _, err := io.CopyN(io.MultiWriter(archive, sum), f, info.Size()); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	m.Files = append(m.Files, File{name, info.Size(), hex.EncodeToString(sum.Sum(nil))})
	return nil
}
