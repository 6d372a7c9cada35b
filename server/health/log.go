package health

import (
	"context"
	"fmt"
)

const mib = 1 << 20

// longLog is a size of SQLite's write-ahead log, in bytes, that it only gets
// behind a reader that does not end, such as a copy that hangs.
const longLog = 256 * mib

// Log looks at the size of SQLite's write-ahead log.
func Log(size func() (int64, error)) Part {
	return Part{"write-ahead log", func(context.Context) (Finding, error) {
		n, err := size()
		if err != nil {
			return Finding{}, err
		}
		note := fmt.Sprintf("%d MiB", n/mib)
		if n > longLog {
			return Finding{Degraded, note + ": some program reads the database and does not end."}, nil
		}
		return Finding{OK, note}, nil
	}}
}
