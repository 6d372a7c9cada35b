package audit

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"simora/server/store"
)

// FileName is the mirror's name inside the data directory.
const FileName = "audit-head.jsonl"

// line is one head, as a line of the mirror.
type line struct {
	At   time.Time `json:"at"`
	Seq  int64     `json:"seq"`
	Hash string    `json:"hash"` // hexadecimal
}

func (t Trail) path() string { return filepath.Join(t.Dir, FileName) }

// append returns when the line is on the disk.
func (t Trail) append(h store.AuditHead) error {
	raw, err := json.Marshal(line{t.Now().UTC(), h.Seq, hex.EncodeToString(h.Hash)})
	if err != nil {
		return err
	}
	f, err := os.OpenFile(t.path(), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	// The newline comes first: a line that a power cut broke ends there.
	_, err = f.Write(append([]byte("\n"), raw...))
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// mirrored reads the mirror, the oldest line first; there may be none yet.
func (t Trail) mirrored() ([]store.AuditHead, error) {
	raw, err := os.ReadFile(t.path())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the audit log's mirror: %w", err)
	}
	var heads []store.AuditHead
	for n, text := range bytes.Split(raw, []byte("\n")) {
		if len(text) == 0 {
			continue
		}
		var l line
		if err := json.Unmarshal(text, &l); err != nil {
			t.Log.Warn("a line of the audit log's mirror can't be read", "file", t.path(), "line", n+1)
			continue
		}
		hash, err := hex.DecodeString(l.Hash)
		if err != nil {
			t.Log.Warn("a line of the audit log's mirror can't be read", "file", t.path(), "line", n+1)
			continue
		}
		heads = append(heads, store.AuditHead{Seq: l.Seq, Hash: hash})
	}
	return heads, nil
}
