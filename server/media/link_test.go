package media_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"simora/server/media"
	"simora/server/outbound"
	"simora/tests/authority"
	"simora/tests/s3server"
)

// A real S3 server proves its name, or gets neither key nor object.
func TestBucketProvesItsName(t *testing.T) {
	if testing.Short() {
		t.Skip("needs an S3 server")
	}
	ours, theirs := authority.New(t), authority.New(t)
	for _, c := range []struct {
		name, of, want string
		issuer         *authority.Authority
	}{
		{"good", "127.0.0.1", "", ours},
		{"of another name", "evil.example", "127.0.0.1", ours},
		{"of another authority", "127.0.0.1", "unknown authority", theirs},
	} {
		t.Run(c.name, func(t *testing.T) {
			cert, key := c.issuer.Issue(t, c.of)
			address := s3server.Encrypted(t, cert, key)
			link, err := media.Link(address)
			require.NoError(t, err)
			l, err := media.Open(t.TempDir(), address, outbound.New(ours.Roots, link))
			require.NoError(t, err)
			defer func() { _ = l.Close() }()
			err = l.Put(t.Context(), name, bytes.NewReader(picture(t, 3, 3)))
			if c.want == "" {
				require.NoError(t, err)
			} else {
				require.ErrorContains(t, err, c.want)
			}
			elsewhere, err := media.Open(t.TempDir(), address, outbound.New(ours.Roots))
			require.NoError(t, err)
			defer func() { _ = elsewhere.Close() }()
			require.ErrorIs(t, elsewhere.Put(t.Context(), name, bytes.NewReader(picture(t, 3, 3))), outbound.ErrForbidden)
		})
	}
}
