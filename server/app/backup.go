package app

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"simora/server/audit"
	"simora/server/backup"
	"simora/server/config"
	"simora/server/sim"
	"simora/server/store"
)

type backupCommand struct {
	Create  backupCreate  `cmd:"" help:"Write everything that the embedded default keeps into one encrypted file, while the server runs, and verify it."`
	Verify  backupVerify  `cmd:"" help:"Check every file and row of a backup."`
	Restore backupRestore `cmd:"" help:"Put a backup into a data directory without data. The key file has to be there."`
	Key     backupKey     `cmd:"" help:"Print the passphrase of the backups. With it the tool age opens them, too."`
}

type (
	backupCreate struct {
		config.Data

		File string `arg:"" optional:"" help:"The file to make. Default: simora-<time>.backup."`
	}
	backupVerify struct {
		config.Data

		File string `arg:"" type:"existingfile" help:"The backup."`
	}
	backupRestore struct {
		config.Data

		File string `arg:"" type:"existingfile" help:"The backup."`
	}
	backupKey struct{ config.Data }
)

// Run writes the backup under another name, reads it back, and names it.
func (c backupCreate) Run(ctx context.Context, p Process) (err error) {
	now := time.Now().UTC()
	if c.File == "" {
		c.File = "simora-" + now.Format("20060102T150405Z") + ".backup"
	}
	if _, err := os.Lstat(c.File); !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s is there already: choose another name", c.File)
	}
	s, err := openStore(ctx, c.Data, p.logger(), false)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	passphrase, err := passphraseOf(ctx, c.Data)
	if err != nil {
		return err
	}
	out, err := os.CreateTemp(filepath.Dir(c.File), ".backup-*") // mode 0600
	if err != nil {
		return fmt.Errorf("back up: %w", err)
	}
	defer func() { err = errors.Join(err, gone(os.Remove(out.Name()))) }()
	_, err = backup.Write(ctx, out, backup.Source{Store: s, Dir: c.Data.Data, Version: version(), At: now}, passphrase)
	if err = errors.Join(err, out.Sync(), out.Close()); err != nil {
		return err
	}
	m, err := verify(ctx, out.Name(), passphrase, c.Data.Data)
	if err != nil {
		return fmt.Errorf("the backup that was just written: %w", err)
	}
	if err := os.Rename(out.Name(), c.File); err != nil {
		return fmt.Errorf("back up: %w", err)
	}
	if err := s.Audit(ctx, sim.Event{Action: sim.BackupMade, Object: filepath.Base(c.File)}); err != nil {
		return err
	}
	p.say("%s: written and verified, %s\n", c.File, describe(m))
	return nil
}

func gone(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

func verify(ctx context.Context, file, passphrase, dir string) (m backup.Manifest, err error) {
	in, err := os.Open(file) //nolint:gosec // the operator's own
	if err != nil {
		return m, fmt.Errorf("open backup: %w", err)
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	return backup.Verify(ctx, in, passphrase, dir)
}

func describe(m backup.Manifest) string {
	rows := 0
	for _, t := range m.Database.Tables {
		rows += t.Rows
	}
	return fmt.Sprintf("made %s, %d rows in %d tables, %d files, %d bytes", m.At.Format(time.RFC3339), rows, len(m.Database.Tables), len(m.Files), m.Size())
}

// passphraseOf belongs to the key file: one secret is enough to be kept.
func passphraseOf(ctx context.Context, d config.Data) (string, error) {
	keys, err := readKeys(ctx, d)
	if err != nil {
		return "", err
	}
	key, err := keys.Index("backup", "1")
	return hex.EncodeToString(key), err
}

// Run checks the backup.
func (c backupVerify) Run(ctx context.Context, p Process) error {
	passphrase, err := passphraseOf(ctx, c.Data)
	if err != nil {
		return err
	}
	m, err := verify(ctx, c.File, passphrase, c.Data.Data)
	if err != nil {
		return fmt.Errorf("%s: %w", c.File, err)
	}
	p.say("%s: whole, %s\n", c.File, describe(m))
	return nil
}

// Run restores. The next start of the server erases again who was erased since
// the backup, before it serves anything.
func (c backupRestore) Run(ctx context.Context, p Process) (err error) {
	if c.DatabaseURL != "" {
		return store.ErrNotEmbedded
	}
	passphrase, err := passphraseOf(ctx, c.Data)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(c.Data.Data, 0o700); err != nil {
		return fmt.Errorf("data directory (SIMORA_DATA): %w", err)
	}
	in, err := os.Open(c.File)
	if err != nil {
		return fmt.Errorf("open backup: %w", err)
	}
	m, err := backup.Restore(ctx, in, passphrase, c.Data.Data)
	if err = errors.Join(err, in.Close()); err != nil {
		return fmt.Errorf("%s: %w", c.File, err)
	}
	if err := c.recorded(ctx, p, m); err != nil {
		return err
	}
	p.say("%s: restored, %s\n", c.File, describe(m))
	return nil
}

// recorded begins a new mirror of the audit log's end: the old one knows of
// entries that are younger than the backup.
func (c backupRestore) recorded(ctx context.Context, p Process, m backup.Manifest) (err error) {
	mirror := filepath.Join(c.Data.Data, audit.FileName)
	if err := gone(os.Rename(mirror, mirror+".before-"+m.At.Format("20060102T150405Z"))); err != nil {
		return fmt.Errorf("set the mirror of the audit log aside: %w", err)
	}
	s, err := openStore(ctx, c.Data, p.logger(), false)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	return s.Audit(ctx, sim.Event{Action: sim.BackupRestored, Object: filepath.Base(c.File), Detail: map[string]string{"made": m.At.Format(time.RFC3339)}})
}

// Run prints the passphrase.
func (c backupKey) Run(ctx context.Context, p Process) error {
	passphrase, err := passphraseOf(ctx, c.Data)
	if err != nil {
		return err
	}
	p.say("%s\n", passphrase)
	return nil
}
