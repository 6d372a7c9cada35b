package keyring

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"
)

func destroyedRecord(kind Kind) string { return "destroyed/" + kind.String() }

// readDestroyed learns before which day the keys of a kind are gone, and
// forgets those it has in memory.
func (k *Keyring) readDestroyed(ctx context.Context, kind Kind) error {
	value, err := k.shelf.Get(ctx, destroyedRecord(kind))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	day, err := time.Parse(time.DateOnly, strings.TrimSpace(string(value)))
	if err != nil {
		return fmt.Errorf("record %s is damaged: %w", destroyedRecord(kind), err)
	}
	k.destroyed[kind].Store(day.UnixMilli() / dayMillis)
	k.keys.Range(func(id, _ any) bool {
		if k.gone(id.(keyID)) {
			k.keys.Delete(id)
		}
		return true
	})
	return nil
}

// DestroyBefore destroys the keys of the days of a kind that had ended by t,
// and returns how many. No key of such a day is ever made again.
func (k *Keyring) DestroyBefore(ctx context.Context, kind Kind, t time.Time) (n int, err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if err := k.readDestroyed(ctx, kind); err != nil {
		return 0, fmt.Errorf("destroy keys: %w", err)
	}
	// The mark comes first: a key that a crash leaves behind opens nothing and
	// goes the next time.
	if t.UnixMilli()/dayMillis > k.destroyed[kind].Load() {
		if err := k.shelf.Put(ctx, destroyedRecord(kind), []byte(t.UTC().Format(time.DateOnly))); err != nil {
			return 0, fmt.Errorf("destroy keys: %w", err)
		}
		if err := k.readDestroyed(ctx, kind); err != nil {
			return 0, fmt.Errorf("destroy keys: %w", err)
		}
	}
	if n, err = k.sweep(ctx, kind); err != nil {
		return n, fmt.Errorf("destroy keys: %w", err)
	}
	return n, nil
}

// sweep deletes the records of days that are gone.
func (k *Keyring) sweep(ctx context.Context, kind Kind) (n int, err error) {
	prefix := "day/" + kind.String() + "/"
	names, err := k.shelf.List(ctx, prefix)
	if err != nil {
		return 0, err
	}
	first := time.UnixMilli(k.destroyed[kind].Load() * dayMillis).UTC().Format(time.DateOnly)
	for _, name := range names {
		if strings.TrimPrefix(name, prefix) < first {
			if err := k.shelf.Delete(ctx, name); err != nil {
				return n, err
			}
			n++
		}
	}
	return n, nil
}

// Rotate makes a new master key and a new standing key, wraps every key with
// the new master, and destroys the master before the last one. Other processes
// go on meanwhile: they find the new keys when they need them. Values stay
// sealed with the keys that they name: sealing them anew is the store's part.
//
// A rotation that was cut off is finished by the next one. Wraps by roots that
// are not given any more are gone afterwards.
func (k *Keyring) Rotate(ctx context.Context) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if err := k.rotate(ctx); err != nil {
		return fmt.Errorf("rotate keys: %w", err)
	}
	return nil
}

func (k *Keyring) rotate(ctx context.Context) error {
	versions, err := k.versions(ctx, "master/")
	if err != nil {
		return err
	}
	last := versions[len(versions)-1]
	newest := last + 1
	err = k.createMaster(ctx, newest)
	if errors.Is(err, fs.ErrExist) {
		return errors.New("another rotation is under way")
	}
	if err != nil {
		return err
	}
	standings, err := k.versions(ctx, "standing/")
	if err != nil {
		return err
	}
	next := keyID{standing, uint16(standings[len(standings)-1] + 1)} //nolint:gosec // five digits
	if err := k.createKey(ctx, next.record(), newKey()); err != nil {
		return err
	}
	if err := k.rewrap(ctx, newest); err != nil {
		return err
	}
	// The last one stays for whoever is wrapping a key with it right now.
	key, m, _, err := k.openMaster(ctx, last)
	if err != nil {
		return err
	}
	value, err := k.wrapMaster(last, m, key)
	if err != nil {
		return err
	}
	if err := k.shelf.Put(ctx, masterName(last), value); err != nil {
		return err
	}
	for _, version := range versions[:len(versions)-1] {
		if err := k.shelf.Delete(ctx, masterName(version)); err != nil {
			return err
		}
		delete(k.masters, version)
	}
	return k.refresh(ctx)
}

func (k *Keyring) rewrap(ctx context.Context, version int) error {
	names, err := k.wrappedNames(ctx)
	if err != nil {
		return err
	}
	for _, name := range names {
		key, w, err := k.unwrapRecord(ctx, name)
		if errors.Is(err, fs.ErrNotExist) { // destroyed meanwhile
			continue
		}
		if err != nil {
			return err
		}
		if w.Master == version {
			continue
		}
		value, err := k.wrap(ctx, name, version, w.Made, key)
		if err != nil {
			return err
		}
		if err := k.shelf.Put(ctx, name, value); err != nil {
			return err
		}
	}
	// A key that was destroyed between read and write has come back.
	for kind := standing + 1; kind < kinds; kind++ {
		if err := k.readDestroyed(ctx, kind); err != nil {
			return err
		}
		if _, err := k.sweep(ctx, kind); err != nil {
			return err
		}
	}
	return nil
}

// Standing are the versions of the standing key, the newest last, which is used
// from now on.
func (k *Keyring) Standing(ctx context.Context) ([]int, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	versions, err := k.versions(ctx, "standing/")
	if err != nil {
		return nil, fmt.Errorf("list standing keys: %w", err)
	}
	if len(versions) > 0 {
		k.newest.Store(uint32(versions[len(versions)-1])) //nolint:gosec // five digits
	}
	return versions, nil
}

// DropStanding deletes an older version of the standing key, which no value may
// name any more.
func (k *Keyring) DropStanding(ctx context.Context, version int) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if version >= int(k.newest.Load()) {
		return fmt.Errorf("drop standing key %d: it is in use", version)
	}
	id := keyID{standing, uint16(version)} //nolint:gosec // five digits
	if err := k.shelf.Delete(ctx, id.record()); err != nil {
		return fmt.Errorf("drop standing key %d: %w", version, err)
	}
	k.keys.Delete(id)
	return nil
}

func (k *Keyring) wrappedNames(ctx context.Context) (names []string, err error) {
	for _, prefix := range []string{indexRecord, legacyRecord, "standing/", "day/"} {
		found, err := k.shelf.List(ctx, prefix)
		if err != nil {
			return nil, err
		}
		names = append(names, found...)
	}
	return names, nil
}

// Extent says how many keys there are, and since when. It reads one of them:
// in a bucket, List takes a call for each.
func (k *Keyring) Extent(ctx context.Context) (n int, since time.Time, err error) {
	masters, err := k.versions(ctx, "master/")
	if err != nil {
		return 0, since, fmt.Errorf("count keys: %w", err)
	}
	names, err := k.wrappedNames(ctx)
	if err != nil {
		return 0, since, fmt.Errorf("count keys: %w", err)
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	_, first, err := k.unwrapRecord(ctx, indexRecord) // made at the set-up, and only ever wrapped anew
	if err != nil {
		return 0, since, fmt.Errorf("count keys: %w", err)
	}
	return len(masters) + len(names), first.Made, nil
}

// Info is what may be told of a key.
type Info struct {
	Name   string // such as day/sessions/2026-01-31
	Made   time.Time
	Master int // version of the master that wraps it; 0 for a master
}

// List tells of every key, masters first.
func (k *Keyring) List(ctx context.Context) (list []Info, err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	versions, err := k.versions(ctx, "master/")
	if err != nil {
		return nil, fmt.Errorf("list keys: %w", err)
	}
	for _, version := range versions {
		_, m, _, err := k.openMaster(ctx, version)
		if err != nil {
			return nil, fmt.Errorf("list keys: %w", err)
		}
		list = append(list, Info{Name: masterName(version), Made: m.Made})
	}
	names, err := k.wrappedNames(ctx)
	if err != nil {
		return nil, fmt.Errorf("list keys: %w", err)
	}
	for _, name := range names {
		_, w, err := k.unwrapRecord(ctx, name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("list keys: %w", err)
		}
		list = append(list, Info{name, w.Made, w.Master})
	}
	return list, nil
}
