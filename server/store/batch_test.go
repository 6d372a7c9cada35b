package store

import (
	"context"
	"database/sql"
	"errors"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func testBatch(t *testing.T) (*batch, *sql.DB) {
	db, err := sql.Open("sqlite", filepath.Join(t.TempDir(), "b.db")+"?_pragma=journal_mode(WAL)")
	require.NoError(t, err)
	_, err = db.Exec("CREATE TABLE n (v INTEGER NOT NULL)")
	require.NoError(t, err)
	b := startBatch(db)
	t.Cleanup(func() { b.stop(); require.NoError(t, db.Close()) })
	return b, db
}

func insert(v any) func(querier) error {
	return func(q querier) error {
		_, err := q.ExecContext(context.Background(), "INSERT INTO n VALUES ($1)", v)
		return err
	}
}

func count(t *testing.T, db *sql.DB) (n int) {
	require.NoError(t, db.QueryRow("SELECT count(*) FROM n").Scan(&n))
	return n
}

// A failing or panicking job takes back its own work and nobody else's, alone
// and in company.
func TestFailingJobHarmsNobodyElse(t *testing.T) {
	b, db := testBatch(t)
	refused := errors.New("refused")
	half := func(q querier) error {
		if err := insert(1)(q); err != nil {
			return err
		}
		return refused
	}
	panics := func(q querier) error { _ = insert(1)(q); panic("boom") }
	for _, together := range []int{1, 64} {
		before := count(t, db)
		var wg sync.WaitGroup
		for range together {
			wg.Go(func() { assert.ErrorIs(t, b.run(t.Context(), durable, half), refused) })
			wg.Go(func() { assert.ErrorContains(t, b.run(t.Context(), soft, panics), "boom") })
			wg.Go(func() { assert.Error(t, b.run(t.Context(), durable, insert(nil)), "NOT NULL") })
			wg.Go(func() { assert.NoError(t, b.run(t.Context(), durable, insert(1))) })
		}
		wg.Wait()
		assert.Equal(t, together, count(t, db)-before)
	}
}

func TestJobsAreCommittedTogether(t *testing.T) {
	b, db := testBatch(t)
	jobs := make([]*job, 50)
	for i := range jobs {
		jobs[i] = &job{durable: durable, fn: insert(i), done: make(chan struct{})}
	}
	// One of them looks from another connection: nothing is visible before the
	// common commit.
	jobs[49].fn = func(querier) error { assert.Equal(t, 0, count(t, db)); return nil }
	b.stop()
	b.serve(jobs)
	for _, j := range jobs {
		<-j.done
		assert.NoError(t, j.err)
	}
	assert.Equal(t, 49, count(t, db))
	b.drop()
}

func TestDurableJobTurnsSyncOn(t *testing.T) {
	b, _ := testBatch(t)
	level := func(d durability) (n int) {
		require.NoError(t, b.run(t.Context(), d, func(q querier) error {
			list, err := q.QueryContext(context.Background(), "PRAGMA synchronous")
			if err != nil {
				return err
			}
			return row{&rows{list, func() {}}, nil}.Scan(&n)
		}))
		return n
	}
	const normal, full = 1, 2
	assert.Equal(t, full, level(durable))
	assert.Equal(t, normal, level(soft))
	assert.Equal(t, full, level(durable))
}

func TestClosedStoreSaysSo(t *testing.T) {
	b, _ := testBatch(t)
	b.stop()
	assert.ErrorIs(t, b.run(t.Context(), durable, insert(1)), errStopped)
}
