package keyring

import (
	"bytes"
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
	"time"

	"github.com/tink-crypto/tink-go/v2/insecurecleartextkeyset"
	"github.com/tink-crypto/tink-go/v2/keyset"
	"github.com/tink-crypto/tink-go/v2/prf"
	tinkpb "github.com/tink-crypto/tink-go/v2/proto/tink_go_proto"
)

// The shelf's records.
const (
	idRecord     = "id" // written last: where it is, everything is
	indexRecord  = "index"
	legacyRecord = "legacy"
)

// masterRecord is a master key, wrapped by each root.
type masterRecord struct {
	Made  time.Time `json:"made"`
	Wraps [][]byte  `json:"wraps"`
}

// wrapped is a key below the master.
type wrapped struct {
	Master int       `json:"master"` // version that wraps it
	Made   time.Time `json:"made"`
	Key    []byte    `json:"key"`
}

// Open reads the keys, or makes them when shelf and key file are empty.
//
// A master key that is new to the shelf is taken up when another root that is
// given opens it: the key file, or a further master key.
func Open(ctx context.Context, o Options) (*Keyring, error) {
	k := &Keyring{shelf: patience{o.Shelf}, now: o.Now, masters: map[int]cipher.AEAD{}}
	id, err := k.shelf.Get(ctx, idRecord)
	fresh := errors.Is(err, fs.ErrNotExist)
	if err != nil && !fresh {
		return nil, fmt.Errorf("read keys (SIMORA_KEYS_URL): %w", err)
	}
	if fresh && o.Existing {
		return nil, ErrNone
	}
	roots, file, err := rootsOf(o, fresh)
	if err != nil {
		return nil, err
	}
	k.roots = roots
	k.mu.Lock()
	defer k.mu.Unlock()
	if fresh {
		if id, err = k.setUp(ctx, file); err != nil {
			return nil, fmt.Errorf("make keys (SIMORA_KEYS_URL): %w", err)
		}
	}
	k.id = string(id)
	if err := k.read(ctx); err != nil {
		return nil, fmt.Errorf("read keys (SIMORA_KEYS_URL): %w", err)
	}
	return k, nil
}

// setUp fills an empty shelf, together with whoever does the same right now.
func (k *Keyring) setUp(ctx context.Context, file *keyFile) (id []byte, err error) {
	versions, err := k.versions(ctx, "master/")
	if err == nil && len(versions) == 0 {
		err = k.createMaster(ctx, 1)
	}
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	index, legacy := []byte(nil), []byte(nil)
	if file != nil {
		index, legacy = file.Index, file.Seal
	} else if index, err = newKeyset(prf.HMACSHA256PRFKeyTemplate); err != nil {
		return nil, err
	}
	for name, key := range map[string][]byte{indexRecord: index, legacyRecord: legacy, keyID{standing, 1}.record(): newKey()} {
		if key == nil {
			continue
		}
		if err := k.createKey(ctx, name, key); err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, err
		}
	}
	if err := k.shelf.Create(ctx, idRecord, []byte(rand.Text())); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	return k.shelf.Get(ctx, idRecord)
}

// read loads what every use needs.
func (k *Keyring) read(ctx context.Context) error {
	versions, err := k.versions(ctx, "master/")
	if err != nil {
		return err
	}
	for _, version := range versions {
		if _, err := k.master(ctx, version); err != nil && !errors.Is(err, fs.ErrNotExist) { // gone: rotated meanwhile
			return err
		}
	}
	index, err := k.unwrap(ctx, indexRecord)
	if err != nil {
		return err
	}
	if k.index, err = indexKeys(index); err != nil {
		return err
	}
	switch legacy, err := k.unwrap(ctx, legacyRecord); {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return err
	default:
		if k.legacy, err = sealKeys(legacy); err != nil {
			return err
		}
	}
	return k.refresh(ctx)
}

// Refresh takes over what other processes have changed, and fetches the keys
// that are needed most, tomorrow's among them: nobody waits at midnight.
func (k *Keyring) Refresh(ctx context.Context) error {
	k.mu.Lock()
	err := k.refresh(ctx)
	k.mu.Unlock()
	if err != nil {
		return fmt.Errorf("refresh keys: %w", err)
	}
	for kind := standing + 1; kind < kinds; kind++ {
		today := k.now().UnixMilli() / dayMillis
		for day := today - 1; day <= today+1; day++ {
			if _, err := k.key(keyID{kind, uint16(day)}, true); err != nil && !errors.Is(err, ErrDestroyed) { //nolint:gosec // until 2149
				return fmt.Errorf("refresh keys: %w", err)
			}
		}
	}
	return nil
}

func (k *Keyring) refresh(ctx context.Context) error {
	versions, err := k.versions(ctx, "standing/")
	if err != nil {
		return err
	}
	if len(versions) == 0 {
		return errors.New("the standing key is missing: bring the records back from a copy")
	}
	k.newest.Store(uint32(versions[len(versions)-1])) //nolint:gosec // five digits
	for kind := standing + 1; kind < kinds; kind++ {
		if err := k.readDestroyed(ctx, kind); err != nil {
			return err
		}
	}
	return nil
}

func (k *Keyring) gone(id keyID) bool {
	return id.kind != standing && int64(id.number) < k.destroyed[id.kind].Load()
}

// key finds a key, in memory or on the shelf. With make, a day that has none
// gets one.
func (k *Keyring) key(id keyID, make bool) (cipher.AEAD, error) {
	if k.gone(id) {
		return nil, ErrDestroyed
	}
	if key, ok := k.keys.Load(id); ok {
		return key.(cipher.AEAD), nil
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if key, ok := k.keys.Load(id); ok {
		return key.(cipher.AEAD), nil
	}
	// Whoever waits for this may be a transaction: it is finished in any case.
	ctx, cancel := context.WithTimeout(context.Background(), shelfTime)
	defer cancel()
	raw, err := k.find(ctx, id, make && id.kind != standing)
	switch {
	case errors.Is(err, ErrDestroyed):
		return nil, err
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("the key %s is missing and was not destroyed: is SIMORA_KEYS_URL the place that was used before?", id.record())
	case err != nil:
		return nil, fmt.Errorf("%w: %w", ErrUnreachable, err)
	}
	key, err := newAEAD(raw)
	if err != nil {
		return nil, err
	}
	k.keys.Store(id, key)
	return key, nil
}

func (k *Keyring) find(ctx context.Context, id keyID, make bool) ([]byte, error) {
	if id.kind != standing {
		if err := k.readDestroyed(ctx, id.kind); err != nil {
			return nil, err
		}
		if k.gone(id) {
			return nil, ErrDestroyed
		}
	}
	raw, err := k.unwrap(ctx, id.record())
	if !make || !errors.Is(err, fs.ErrNotExist) {
		return raw, err
	}
	if err := k.createKey(ctx, id.record(), newKey()); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	return k.unwrap(ctx, id.record())
}

// newAEAD is AES-256-GCM with a random nonce before each ciphertext. A day has
// far fewer values than the 2^32 that are safe with one key.
func newAEAD(key []byte) (cipher.AEAD, error) {
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	return cipher.NewGCMWithRandomNonce(block)
}

// createKey wraps a key with the newest master, which another process may have
// made a moment ago.
func (k *Keyring) createKey(ctx context.Context, name string, key []byte) error {
	versions, err := k.versions(ctx, "master/")
	if err != nil {
		return err
	}
	if len(versions) == 0 {
		return errors.New("the master key is missing: bring the records back from a copy")
	}
	value, err := k.wrap(ctx, name, versions[len(versions)-1], k.now(), key)
	if err != nil {
		return err
	}
	return k.shelf.Create(ctx, name, value)
}

func (k *Keyring) wrap(ctx context.Context, name string, version int, made time.Time, key []byte) ([]byte, error) {
	master, err := k.master(ctx, version)
	if err != nil {
		return nil, err
	}
	sealed := master.Seal(nil, nil, key, []byte(name)) //nolint:gosec // the nonce is random: newAEAD
	return json.Marshal(wrapped{Master: version, Made: made.UTC(), Key: sealed})
}

func (k *Keyring) unwrap(ctx context.Context, name string) ([]byte, error) {
	key, _, err := k.unwrapRecord(ctx, name)
	return key, err
}

const unwrapTries = 3

// unwrapRecord tries again when the record's master has gone: it was rotated
// between the two reads.
func (k *Keyring) unwrapRecord(ctx context.Context, name string) (key []byte, w wrapped, err error) {
	for range unwrapTries {
		value, err := k.shelf.Get(ctx, name)
		if err != nil {
			return nil, w, err
		}
		if err := json.Unmarshal(value, &w); err != nil {
			return nil, w, fmt.Errorf("record %s is damaged: %w", name, err)
		}
		master, err := k.master(ctx, w.Master)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, w, err
		}
		if key, err = master.Open(nil, nil, w.Key, []byte(name)); err != nil {
			return nil, w, fmt.Errorf("record %s is damaged: %w", name, err)
		}
		return key, w, nil
	}
	return nil, w, fmt.Errorf("record %s names master key %d, which is missing: bring the records back from a copy", name, w.Master)
}

func masterName(version int) string { return fmt.Sprintf("master/%05d", version) }

func (k *Keyring) createMaster(ctx context.Context, version int) error {
	value, err := k.wrapMaster(version, masterRecord{Made: k.now().UTC()}, newKey())
	if err != nil {
		return err
	}
	return k.shelf.Create(ctx, masterName(version), value)
}

// wrapMaster replaces the wraps of a record by those of our roots.
func (k *Keyring) wrapMaster(version int, m masterRecord, key []byte) ([]byte, error) {
	m.Wraps = nil
	for _, root := range k.roots {
		wrap, err := root.Encrypt(key, []byte(masterName(version)))
		if err != nil {
			return nil, err
		}
		m.Wraps = append(m.Wraps, wrap)
	}
	return json.Marshal(m)
}

// master finds a version. It is fs.ErrNotExist for one that was rotated away.
func (k *Keyring) master(ctx context.Context, version int) (cipher.AEAD, error) {
	if master, ok := k.masters[version]; ok {
		return master, nil
	}
	key, m, first, err := k.openMaster(ctx, version)
	if err != nil {
		return nil, err
	}
	if !first {
		// Our first root is new here. The others' wraps stay for processes that
		// do not have it yet; a rotation takes them away.
		wrap, err := k.roots[0].Encrypt(key, []byte(masterName(version)))
		if err != nil {
			return nil, err
		}
		m.Wraps = append(m.Wraps, wrap)
		value, err := json.Marshal(m)
		if err != nil {
			return nil, err
		}
		if err := k.shelf.Put(ctx, masterName(version), value); err != nil {
			return nil, err
		}
	}
	master, err := newAEAD(key)
	if err != nil {
		return nil, err
	}
	k.masters[version] = master
	return master, nil
}

// openMaster tries every root; first says that our first one opened it.
func (k *Keyring) openMaster(ctx context.Context, version int) (key []byte, m masterRecord, first bool, err error) {
	value, err := k.shelf.Get(ctx, masterName(version))
	if err != nil {
		return nil, m, false, err
	}
	if err := json.Unmarshal(value, &m); err != nil {
		return nil, m, false, fmt.Errorf("record %s is damaged: %w", masterName(version), err)
	}
	for i, root := range k.roots {
		for _, wrap := range m.Wraps {
			if key, err := root.Decrypt(wrap, []byte(masterName(version))); err == nil {
				return key, m, i == 0, nil
			}
		}
	}
	return nil, m, false, fmt.Errorf("neither SIMORA_MASTER_KEY nor the key file opens %s: give the %s, or the master key, that these keys were made with", masterName(version), FileName)
}

// versions are the numbers of the records under a prefix, ascending.
func (k *Keyring) versions(ctx context.Context, prefix string) (versions []int, err error) {
	names, err := k.shelf.List(ctx, prefix)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		n, err := strconv.Atoi(strings.TrimPrefix(name, prefix))
		if err != nil {
			return nil, fmt.Errorf("record %s: its name must end in a number", name)
		}
		versions = append(versions, n)
	}
	return versions, nil
}

func newKeyset(template func() *tinkpb.KeyTemplate) ([]byte, error) {
	keys, err := keyset.NewHandle(template())
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = insecurecleartextkeyset.Write(keys, keyset.NewJSONWriter(&b))
	return b.Bytes(), err
}
