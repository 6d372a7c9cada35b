package keyring

import (
	"bytes"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/tink-crypto/tink-go/v2/aead"
	"github.com/tink-crypto/tink-go/v2/aead/subtle"
	"github.com/tink-crypto/tink-go/v2/insecurecleartextkeyset"
	"github.com/tink-crypto/tink-go/v2/keyset"
	"github.com/tink-crypto/tink-go/v2/prf"
	"github.com/tink-crypto/tink-go/v2/tink"
)

const keyBytes = 32

// NewMasterKey makes a value for SIMORA_MASTER_KEY: 32 random bytes in URL-safe
// base64 without padding.
func NewMasterKey() string { return base64.RawURLEncoding.EncodeToString(newKey()) }

func newKey() []byte {
	key := make([]byte, keyBytes)
	_, _ = rand.Read(key) // never fails
	return key
}

// masterKeys reads a value of SIMORA_MASTER_KEY. No error repeats any of it.
func masterKeys(text string) (roots []tink.AEAD, err error) {
	for one := range strings.SplitSeq(text, ",") {
		key, err := base64.RawURLEncoding.DecodeString(strings.TrimSpace(one))
		if err != nil || len(key) != keyBytes {
			return nil, errors.New("found something else than keys that `simora keys new` prints (43 letters, digits, - and _; several with commas between them)")
		}
		root, err := subtle.NewAESGCM(key)
		if err != nil {
			return nil, err
		}
		roots = append(roots, root)
	}
	return roots, nil
}

// keyFile is the key file's form: two Tink keysets in Tink's JSON. Seal is a
// root, and the key of values from the time before there were day keys.
type keyFile struct {
	Seal  json.RawMessage `json:"seal"`
	Index json.RawMessage `json:"index"`
}

// rootsOf finds the roots. Without a master key the key file is one; it is
// made, mode 0600, when it is not there and fresh allows it. One that others
// may read is refused.
func rootsOf(o Options, fresh bool) (roots []tink.AEAD, file *keyFile, err error) {
	if o.MasterKey != "" {
		if roots, err = masterKeys(o.MasterKey); err != nil {
			return nil, nil, fmt.Errorf("SIMORA_MASTER_KEY: %w", err)
		}
	}
	raw, err := os.ReadFile(o.File)
	switch {
	case !errors.Is(err, fs.ErrNotExist):
	case o.MasterKey != "":
		return roots, nil, nil
	case !fresh:
		return nil, nil, fmt.Errorf("there is no key file %s, but there are keys that were made together with it: put it back, or set SIMORA_MASTER_KEY", o.File)
	default:
		if err := create(o.File); err != nil {
			return nil, nil, fmt.Errorf("create key file %s: %w", o.File, err)
		}
		raw, err = os.ReadFile(o.File)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("read key file: %w", err)
	}
	info, err := os.Stat(o.File)
	if err != nil {
		return nil, nil, fmt.Errorf("read key file: %w", err)
	}
	if info.Mode().Perm()&0o077 != 0 {
		return nil, nil, fmt.Errorf("key file %s has mode %04o, others can read it: run chmod 600 on it", o.File, info.Mode().Perm())
	}
	var root tink.AEAD
	if err = json.Unmarshal(raw, &file); err == nil {
		root, err = sealKeys(file.Seal)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("key file %s is damaged: %w", o.File, err)
	}
	return append(roots, root), file, nil
}

func sealKeys(raw []byte) (tink.AEAD, error) {
	keys, err := insecurecleartextkeyset.Read(keyset.NewJSONReader(bytes.NewReader(raw)))
	if err != nil {
		return nil, fmt.Errorf("seal keys: %w", err)
	}
	return aead.New(keys)
}

func indexKeys(raw []byte) (*prf.Set, error) {
	keys, err := insecurecleartextkeyset.Read(keyset.NewJSONReader(bytes.NewReader(raw)))
	if err != nil {
		return nil, fmt.Errorf("index keys: %w", err)
	}
	return prf.NewPRFSet(keys)
}

// create writes the file under a temporary name first, and links it into
// place: of two processes that start at once, both use the winner's keys.
func create(path string) error {
	var f keyFile
	var err error
	if f.Seal, err = newKeyset(aead.AES256GCMKeyTemplate); err != nil {
		return err
	}
	if f.Index, err = newKeyset(prf.HMACSHA256PRFKeyTemplate); err != nil {
		return err
	}
	raw, err := json.MarshalIndent(f, "", "  ")
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

func syncDir(dir string) error {
	d, err := os.Open(dir) //nolint:gosec // the data directory
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
