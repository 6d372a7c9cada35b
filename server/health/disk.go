//go:build linux || darwin || freebsd

package health

import (
	"context"
	"fmt"

	"golang.org/x/sys/unix"
)

const (
	gib         = 1 << 30
	littleSpace = 1 * gib   // bytes free below which somebody should look
	noSpace     = 100 << 20 // and below which writes will soon fail
)

// Disk looks at the space that is left where dir lies.
func Disk(dir string) Part {
	return Part{"disk space", func(context.Context) (Finding, error) {
		var s unix.Statfs_t
		if err := unix.Statfs(dir, &s); err != nil {
			return Finding{}, fmt.Errorf("disk of %s: %w", dir, err)
		}
		return space(uint64(s.Bavail) * uint64(s.Bsize)), nil //nolint:gosec,unconvert // the types differ by system
	}}
}

func space(free uint64) Finding {
	note := fmt.Sprintf("%.1f GiB free", float64(free)/gib)
	switch {
	case free < noSpace:
		return Finding{Failing, note}
	case free < littleSpace:
		return Finding{Degraded, note}
	}
	return Finding{OK, note}
}
