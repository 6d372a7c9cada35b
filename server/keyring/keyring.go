// Package keyring seals personal data before it reaches a database, a backup
// or a file.
//
//	root ──wraps──▶ master ──wraps──▶ standing key, day keys ──seal──▶ values
//	(key file or    (on the shelf: not in the database,
//	 environment)    not in its backups)
//
// What has a retention is sealed with the key of its kind and its first day
// (UTC). When the whole day is past its age the key is destroyed, and with it
// what old copies of the database hold. What has none is sealed with the
// standing key, and anew when that is rotated.
//
// A sealed value names its key: 0x02, the kind, and the day or version in two
// bytes, then nonce, AES-256-GCM ciphertext and tag. It is bound to its key's
// name and to the place it was written for: moved to another row or column it
// does not open. Values that begin with 0x01 are of the time before there were
// day keys and open with the key file's own keys (Tink).
package keyring

import (
	"context"
	"crypto/cipher"
	"encoding/binary"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tink-crypto/tink-go/v2/prf"
	"github.com/tink-crypto/tink-go/v2/tink"

	"simora/server/shelf"
)

// FileName is the key file's name inside the data directory, FolderName that
// of the shelf beside it.
const (
	FileName   = "keyring.json"
	FolderName = "keys"
)

// What can be the matter with a key.
var (
	// ErrDestroyed is a value whose time is over: nobody can read it again.
	ErrDestroyed = errors.New("the key of this day has been destroyed")
	// ErrNone is a place without keys.
	ErrNone = errors.New("there are no keys here: bring the key file (or SIMORA_MASTER_KEY) and the folder with the keys, or name their place (SIMORA_KEYS_URL)")
	// ErrUnreachable is a shelf that does not answer.
	ErrUnreachable = errors.New("the keys can't be reached (SIMORA_KEYS_URL)")
)

const (
	indexBytes  = 32
	headerBytes = 4
	overhead    = headerBytes + 12 + 16 // nonce and tag
	shelfTime   = 5 * time.Second       // for the shelf to answer while somebody waits
)

// Kind is what a day key is for. A kind has one retention.
type Kind byte

// The kinds. They stand in sealed values: none is ever renumbered.
const (
	standing Kind = iota
	Sessions
	Contact
	Audit
	kinds
)

func (k Kind) String() string { return [...]string{"standing", "sessions", "contact", "audit"}[k] }

// Day chooses a day key: that of a kind of data for the day (UTC) on which its
// retention began to run. The zero value chooses the standing key.
type Day struct {
	Kind Kind      `json:"kind"`
	At   time.Time `json:"at"`
}

// Place is where a sealed value lives.
type Place struct{ Table, Column, Row string }

func (p Place) associatedData(header []byte) []byte {
	data := make([]byte, 0, len(p.Table)+len(p.Column)+len(p.Row)+3+len(header))
	data = append(append(data, p.Table...), 0)
	data = append(append(data, p.Column...), 0)
	data = append(data, p.Row...)
	if header != nil {
		data = append(append(data, 0), header...)
	}
	return data
}

// Options says where the keys are.
type Options struct {
	File      string      // path of the key file
	MasterKey string      // keys from NewMasterKey with commas between them, the first for what is new; empty: the key file
	Shelf     shelf.Shelf // holds everything below the root
	Now       func() time.Time
	Existing  bool // make none: ErrNone when there are none
}

// Keyring holds the keys of one installation. It is safe for concurrent use.
type Keyring struct {
	shelf  shelf.Shelf
	roots  []tink.AEAD // the first wraps what is new
	now    func() time.Time
	id     string
	index  *prf.Set
	legacy tink.AEAD // nil where there never was a key file

	keys      sync.Map            // keyID → cipher.AEAD
	newest    atomic.Uint32       // version of the standing key
	destroyed [kinds]atomic.Int64 // days before this number are gone

	mu      sync.Mutex // held while the shelf is asked
	masters map[int]cipher.AEAD
}

// Load opens the keys of one data directory: the key file at path and the
// shelf in the folder beside it. Both are made when there are none.
func Load(path string) (*Keyring, error) {
	s, err := shelf.Open(context.Background(), "", filepath.Join(filepath.Dir(path), FolderName), nil)
	if err != nil {
		return nil, err
	}
	return Open(context.Background(), Options{File: path, Shelf: s, Now: time.Now})
}

// ID tells one installation's keys from another's. It is no secret.
func (k *Keyring) ID() string { return k.id }

// Seal encrypts plain for one place with the standing key.
func (k *Keyring) Seal(p Place, plain []byte) ([]byte, error) { return k.SealFor(Day{}, p, plain) }

// SealFor encrypts plain for one place with the key of a day. Errors:
// ErrDestroyed when that day is past already, ErrUnreachable.
func (k *Keyring) SealFor(d Day, p Place, plain []byte) ([]byte, error) {
	id := keyID{standing, uint16(k.newest.Load())} //nolint:gosec // versions are counted by hand
	if d.Kind != standing {
		number := d.At.UnixMilli() / dayMillis
		if number < 0 || number > 0xffff {
			return nil, fmt.Errorf("seal %s.%s: %s is no day that a key can have", p.Table, p.Column, d.At)
		}
		id = keyID{d.Kind, uint16(number)}
	}
	key, err := k.key(id, true)
	if errors.Is(err, ErrDestroyed) {
		return nil, fmt.Errorf("seal %s.%s for %s, which is past its retention (is this machine's clock right?): %w", p.Table, p.Column, id.day(), err)
	}
	if err != nil {
		return nil, fmt.Errorf("seal %s.%s: %w", p.Table, p.Column, err)
	}
	sealed := make([]byte, headerBytes, overhead+len(plain))
	id.write(sealed)
	return key.Seal(sealed, nil, plain, p.associatedData(sealed)), nil //nolint:gosec // the nonce is random: newAEAD
}

// Open decrypts what Seal or SealFor made for the same place. Errors:
// ErrDestroyed, ErrUnreachable.
func (k *Keyring) Open(p Place, sealed []byte) ([]byte, error) {
	plain, err := k.open(p, sealed)
	if err != nil {
		return nil, fmt.Errorf("open %s.%s: %w", p.Table, p.Column, err)
	}
	return plain, nil
}

func (k *Keyring) open(p Place, sealed []byte) ([]byte, error) {
	damaged := func(err error) error {
		return fmt.Errorf("wrong key, or not the value that was written there: %w", err)
	}
	id, ok := readKeyID(sealed)
	if !ok {
		if k.legacy == nil {
			return nil, damaged(errors.New("it names no key"))
		}
		plain, err := k.legacy.Decrypt(sealed, p.associatedData(nil))
		if err != nil {
			return nil, damaged(err)
		}
		return plain, nil
	}
	key, err := k.key(id, false)
	if err != nil {
		return nil, err
	}
	plain, err := key.Open(nil, nil, sealed[headerBytes:], p.associatedData(sealed[:headerBytes]))
	if err != nil {
		return nil, damaged(err)
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

// keyID names a key inside a sealed value: a version of the standing key, or a
// day counted from 1970.
type keyID struct {
	kind   Kind
	number uint16
}

const (
	laddered  = 2 // the first byte of what these keys seal
	dayMillis = 86_400_000
)

// StandingHeader is how every value begins that a version of the standing key
// has sealed, and its first StandingMark bytes how those of any version do.
func StandingHeader(version int) []byte {
	header := make([]byte, headerBytes)
	keyID{standing, uint16(version)}.write(header) //nolint:gosec // five digits
	return header
}

// StandingMark is explained there.
const StandingMark = 2

func (id keyID) write(header []byte) {
	header[0], header[1] = laddered, byte(id.kind)
	binary.BigEndian.PutUint16(header[2:], id.number)
}

func readKeyID(sealed []byte) (keyID, bool) {
	if len(sealed) < overhead || sealed[0] != laddered || sealed[1] >= byte(kinds) {
		return keyID{}, false
	}
	return keyID{Kind(sealed[1]), binary.BigEndian.Uint16(sealed[2:])}, true
}

func (id keyID) day() string {
	return time.UnixMilli(int64(id.number) * dayMillis).UTC().Format(time.DateOnly)
}

// record is the key's name on the shelf.
func (id keyID) record() string {
	if id.kind == standing {
		return fmt.Sprintf("standing/%05d", id.number)
	}
	return "day/" + id.kind.String() + "/" + id.day()
}
