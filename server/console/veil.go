package console

import (
	"crypto/aes"
	"crypto/cipher"
	"fmt"

	"github.com/google/uuid"
)

// veil gives a viewer another id for each session: whoever has its own gets the
// report, with what was said in it. A UUID is one block of AES, which turns it
// into another and back.
type veil struct{ block cipher.Block }

func (c *Console) veil() (veil, error) {
	key, err := c.Store.Derive("veiled session", "1")
	if err != nil {
		return veil{}, fmt.Errorf("veil sessions: %w", err)
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return veil{}, fmt.Errorf("veil sessions: %w", err)
	}
	return veil{block}, nil
}

// over is the id that a viewer knows a session by.
func (v veil) over(id string) string { return turn(id, v.block.Encrypt) }

// behind is the session's own.
func (v veil) behind(id string) string { return turn(id, v.block.Decrypt) }

// turn is empty for what is no id.
func turn(id string, by func(dst, src []byte)) string {
	u, err := uuid.Parse(id)
	if err != nil {
		return ""
	}
	by(u[:], u[:])
	return u.String()
}
