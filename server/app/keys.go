package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"time"

	"github.com/google/uuid"

	"simora/server/config"
	"simora/server/jobs"
	"simora/server/keyring"
	"simora/server/media"
	"simora/server/shelf"
	"simora/server/sim"
	"simora/server/store"
)

// makeKeys opens the keys, and makes what is not there of them.
func makeKeys(ctx context.Context, d config.Data) (*keyring.Keyring, error) {
	return openKeys(ctx, d, keyring.Options{})
}

// readKeys opens the keys that are there.
func readKeys(ctx context.Context, d config.Data) (*keyring.Keyring, error) {
	return openKeys(ctx, d, keyring.Options{Existing: true})
}

func openKeys(ctx context.Context, d config.Data, o keyring.Options) (*keyring.Keyring, error) {
	var err error
	if o.Shelf, err = openShelf(ctx, d); err != nil {
		return nil, err
	}
	o.File, o.MasterKey, o.Now = filepath.Join(d.Data, keyring.FileName), d.MasterKey, time.Now
	return keyring.Open(ctx, o)
}

// openShelf is where the keys lie, and what is remembered beyond every backup.
func openShelf(ctx context.Context, d config.Data) (shelf.Shelf, error) {
	network, err := dataNetwork(d)
	if err != nil {
		return nil, err
	}
	place, err := shelf.Open(ctx, d.KeysURL, filepath.Join(d.Data, keyring.FolderName), network)
	if err != nil {
		return nil, fmt.Errorf("SIMORA_KEYS_URL: %w", err)
	}
	return place, nil
}

// retention is this process's part in deleting what is past its age.
func (c serveCommand) retention(s *store.Store, files *media.Library, log *slog.Logger) jobs.Retention {
	return jobs.Retention{
		Store: s, Media: files, Outbox: outboxOf(c.Data, s.Keys()), Sessions: time.Duration(c.Retention), Contact: time.Duration(c.ContactRetention),
		Holder: uuid.NewString(), Clock: s.Clock, Now: time.Now, Log: log,
	}
}

type keysCommand struct {
	New    keysNew    `cmd:"" help:"Print a new value for SIMORA_MASTER_KEY."`
	List   keysList   `cmd:"" help:"List the keys and their age, never their secrets."`
	Rotate keysRotate `cmd:"" help:"Make a new master key and a new standing key. Servers go on meanwhile."`
}

type keysNew struct{}

// Run prints a key.
func (keysNew) Run(p Process) error {
	p.say("%s\n", keyring.NewMasterKey())
	return nil
}

type keysList struct{ config.Data }

// Run prints a line for each key: name, age in days, the master that wraps it.
func (c keysList) Run(ctx context.Context, p Process) error {
	keys, err := readKeys(ctx, c.Data)
	if err != nil {
		return err
	}
	list, err := keys.List(ctx)
	if err != nil {
		return err
	}
	for _, k := range list {
		wrap := "SIMORA_MASTER_KEY or key file"
		if k.Master > 0 {
			wrap = fmt.Sprintf("master/%05d", k.Master)
		}
		p.say("%-28s %5d days  under %s\n", k.Name, int(time.Since(k.Made).Hours()/24), wrap)
	}
	return nil
}

type keysRotate struct{ config.Data }

// Run rotates.
func (c keysRotate) Run(ctx context.Context, p Process) (err error) {
	s, err := openStore(ctx, c.Data, p.logger(), false)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	if err := s.Keys().Rotate(ctx); err != nil {
		return err
	}
	if err := s.Audit(ctx, sim.Event{Action: sim.KeyRotated, Object: "master key and standing key"}); err != nil {
		return err
	}
	p.say("Rotated. All keys are under a new master key; servers seal anew what the old standing key has sealed.\n")
	return nil
}
