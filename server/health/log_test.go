package health

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestLongLogIsTold(t *testing.T) {
	for size, want := range map[int64]Finding{
		0: {OK, "0 MiB"}, 256 << 20: {OK, "256 MiB"}, 3 << 30: {Degraded, "3072 MiB: some program reads the database and does not end."},
	} {
		found, err := Log(func() (int64, error) { return size, nil }).Look(t.Context())
		require.NoError(t, err)
		assert.Equal(t, want, found)
	}
}
