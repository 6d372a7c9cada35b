//go:build !(linux || darwin || freebsd)

package health

import "context"

// Disk is not looked at on this system.
func Disk(string) Part {
	return Part{"disk space", func(context.Context) (Finding, error) { return Finding{Off, "Not measured on this system."}, nil }}
}
