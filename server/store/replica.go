package store

import (
	"context"
	"database/sql"
	"fmt"
	"sync"
	"time"

	"simora/server/outbound"
)

const (
	replicaConnections = 4
	replicaLook        = 2 * time.Second // how long a look at the replica counts
	replicaPatience    = 500 * time.Millisecond
	replicaLag         = 10 * time.Second // how old its data may be
)

// replica is a second server for the console's lists: what it lacks is
// noticed, and then the primary answers.
//
// Its age is measured by positions in the log and no clock: what the primary
// had written at a moment, the replica must have replayed.
type replica struct {
	pool    *sql.DB
	primary *sql.DB

	mu       sync.Mutex
	looked   time.Time
	target   int64     // a position of the primary's log
	targetAt time.Time // when it was the newest
	freshAt  time.Time // the replica has all that the primary had then
}

// fit reports whether the replica may answer now.
func (r *replica) fit(ctx context.Context) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if time.Since(r.looked) >= replicaLook {
		if err := r.look(ctx); err != nil {
			r.freshAt = time.Time{}
		}
		r.looked = time.Now()
	}
	return time.Since(r.freshAt) < replicaLag
}

func (r *replica) look(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), replicaPatience)
	defer cancel()
	now := time.Now()
	var written, replayed int64
	if err := r.primary.QueryRowContext(ctx, "SELECT (pg_current_wal_lsn() - '0/0')::bigint").Scan(&written); err != nil {
		return err
	}
	// A server that is no replica has replayed nothing.
	if err := r.pool.QueryRowContext(ctx, "SELECT CASE WHEN pg_is_in_recovery() THEN coalesce((pg_last_wal_replay_lsn() - '0/0')::bigint, 0) ELSE 0 END").Scan(&replayed); err != nil {
		return err
	}
	if !r.targetAt.IsZero() && replayed < r.target {
		return nil // freshAt grows old
	}
	if !r.targetAt.IsZero() {
		r.freshAt = r.targetAt
	}
	if replayed >= written {
		r.freshAt = now
	}
	r.target, r.targetAt = written, now
	return nil
}

func (r *replica) distrust() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.freshAt = time.Time{}
}

// queryList is queryOnce for the console's lists and dashboard.
func (s *Store) queryList(ctx context.Context, text string, args ...any) (*rows, error) {
	if s.replica != nil && s.replica.fit(ctx) {
		list, err := queryPool(ctx, s.replica.pool, text, args...)
		if err == nil {
			return list, nil
		}
		s.replica.distrust()
		s.log.WarnContext(ctx, "the replica does not answer, the database does", "error", err)
	}
	return s.queryOnce(ctx, text, args...)
}

// UseReplica lets a PostgreSQL replica answer the console's lists; an empty
// address asks for nothing. It is not waited for: it may be down and come later.
// Call it before the store is used.
func (s *Store) UseReplica(url string, network *outbound.Network) error {
	if url == "" {
		return nil
	}
	config, err := parsePool(url, "SIMORA_DATABASE_REPLICA_URL")
	if err != nil {
		return fmt.Errorf("open replica: %w", err)
	}
	through(config, network)
	s.replica = &replica{pool: connect(config, replicaConnections), primary: s.read}
	return nil
}
