//go:build linux || darwin || freebsd

package health

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestSpace(t *testing.T) {
	for free, want := range map[uint64]Finding{
		100<<20 - 1: {Failing, "0.1 GiB free"}, 100 << 20: {Degraded, "0.1 GiB free"}, 1<<30 - 1: {Degraded, "1.0 GiB free"}, 1 << 30: {OK, "1.0 GiB free"}, 5 << 40: {OK, "5120.0 GiB free"},
	} {
		assert.Equal(t, want, space(free))
	}
}
