// Package keyring seals personal data before it reaches a database, a backup
// or a file.
//
// A sealed value names the key that sealed it (Tink's five-byte prefix), so
// that keys can be added, rotated and destroyed without touching the format.
// It is bound to the place it was written for: moved to another row or column
// it does not open.
package keyring

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/tink-crypto/tink-go/v2/aead"
	"github.com/tink-crypto/tink-go/v2/insecurecleartextkeyset"
	"github.com/tink-crypto/tink-go/v2/keyset"
	"github.com/tink-crypto/tink-go/v2/prf"
	"github.com/tink-crypto/tink-go/v2/tink"
)

// FileName is the key file's name inside the data directory.
const FileName = "keyring.json"

const indexBytes = 32

// Keyring holds the keys of one installation. It is safe for concurrent use.
type Keyring struct {
	seal  tink.AEAD
	index *prf.Set
}

// Place is where a sealed value lives.
type Place struct{ Table, Column, Row string }

func (p Place) associatedData() []byte {
	return []byte(p.Table + "\x00" + p.Column + "\x00" + p.Row)
}

// file is the key file's form: two Tink keysets in Tink's JSON.
type file struct {
	Seal  json.RawMessage `json:"seal"`
	Index json.RawMessage `json:"index"`
}

// Load reads the key file at path, or makes one with new keys (mode 0600)
// when there is none. It refuses a file that others may read.
func Load(path string) (*Keyring, error) {
	raw, err := os.ReadFile(path) //nolint:gosec // the path is the operator's own
	if errors.Is(err, fs.ErrNotExist) {
		if err := create(path); err != nil {
			return nil, fmt.Errorf("create key file %s: %w", path, err)
		}
		raw, err = os.ReadFile(path) //nolint:gosec // as above
	}
	if err != nil {
		return nil, fmt.Errorf("read key file: %w", err)
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("read key file: %w", err)
	}
	if info.Mode().Perm()&0o077 != 0 {
		return nil, fmt.Errorf("key file %s has mode %04o, others can read it: run chmod 600 on it", path, info.Mode().Perm())
	}
	k, err := parse(raw)
	if err != nil {
		return nil, fmt.Errorf("key file %s is damaged: %w", path, err)
	}
	return k, nil
}

func parse(raw []byte) (*Keyring, error) {
	var f file
	if err := json.Unmarshal(raw, &f); err != nil {
		return nil, err
	}
	sealKeys, err := insecurecleartextkeyset.Read(keyset.NewJSONReader(bytes.NewReader(f.Seal)))
	if err != nil {
		return nil, fmt.Errorf("seal keys: %w", err)
	}
	indexKeys, err := insecurecleartextkeyset.Read(keyset.NewJSONReader(bytes.NewReader(f.Index)))
	if err != nil {
		return nil, fmt.Errorf("index keys: %w", err)
	}
	k := &Keyring{}
	if k.seal, err = aead.New(sealKeys); err != nil {
		return nil, fmt.Errorf("seal keys: %w", err)
	}
	if k.index, err = prf.NewPRFSet(indexKeys); err != nil {
		return nil, fmt.Errorf("index keys: %w", err)
	}
	return k, nil
}

// create writes the file under a temporary name first, and links it into
// place: of two processes that start at once, both use the winner's keys.
func create(path string) error {
	raw, err := generate()
	if err != nil {
		return err
	}
	tmp, err := os.CreateTemp(filepath.Dir(path), ".keyring-*") // mode 0600
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(tmp.Name()) }()
	if _, err = tmp.Write(raw); err == nil {
		err = tmp.Sync()
	}
	if err = errors.Join(err, tmp.Close()); err != nil {
		return err
	}
	if err := os.Link(tmp.Name(), path); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return syncDir(filepath.Dir(path))
}

func generate() ([]byte, error) {
	sealKeys, err := keyset.NewHandle(aead.AES256GCMKeyTemplate())
	if err != nil {
		return nil, err
	}
	indexKeys, err := keyset.NewHandle(prf.HMACSHA256PRFKeyTemplate())
	if err != nil {
		return nil, err
	}
	var f file
	for _, part := range []struct {
		keys *keyset.Handle
		into *json.RawMessage
	}{{sealKeys, &f.Seal}, {indexKeys, &f.Index}} {
		var b bytes.Buffer
		if err := insecurecleartextkeyset.Write(part.keys, keyset.NewJSONWriter(&b)); err != nil {
			return nil, err
		}
		*part.into = b.Bytes()
	}
	return json.MarshalIndent(f, "", "  ")
}

func syncDir(dir string) error {
	d, err := os.Open(dir) //nolint:gosec // the data directory
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// Seal encrypts plain for one place.
func (k *Keyring) Seal(p Place, plain []byte) ([]byte, error) {
	sealed, err := k.seal.Encrypt(plain, p.associatedData())
	if err != nil {
		return nil, fmt.Errorf("seal %s.%s: %w", p.Table, p.Column, err)
	}
	return sealed, nil
}

// Open decrypts what Seal made for the same place.
func (k *Keyring) Open(p Place, sealed []byte) ([]byte, error) {
	plain, err := k.seal.Decrypt(sealed, p.associatedData())
	if err != nil {
		return nil, fmt.Errorf("open %s.%s: wrong key, or not the value that was written there: %w", p.Table, p.Column, err)
	}
	return plain, nil
}

// Index maps a value to 32 bytes by which it can be looked up exactly without
// being stored. Callers normalise the value first. The domain keeps equal
// values of different kinds apart.
func (k *Keyring) Index(domain, value string) ([]byte, error) {
	digest, err := k.index.ComputePrimaryPRF([]byte(domain+"\x00"+value), indexBytes)
	if err != nil {
		return nil, fmt.Errorf("index %s: %w", domain, err)
	}
	return digest, nil
}
