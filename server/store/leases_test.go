package store_test

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"simora/server/store"
)

func TestOneHolderOfALease(t *testing.T) {
	onBoth(t, func(t *testing.T, s *store.Store) {
		var held atomic.Int32
		var wg sync.WaitGroup
		for i := range 8 {
			wg.Go(func() {
				_, ok, err := s.TakeLease(t.Context(), "work", string(rune('a'+i)), time.Hour)
				assert.NoError(t, err)
				if ok {
					held.Add(1)
				}
			})
		}
		wg.Wait()
		assert.EqualValues(t, 1, held.Load())
		_, ok, err := s.TakeLease(t.Context(), "other work", "x", time.Hour)
		require.NoError(t, err)
		assert.True(t, ok)
	})
}

func TestLeaseGoesOnWhenReturnedOrRunOut(t *testing.T) {
	onBoth(t, func(t *testing.T, s *store.Store) {
		take := func(holder string, term time.Duration) (store.Lease, bool) {
			l, ok, err := s.TakeLease(t.Context(), "work", holder, term)
			require.NoError(t, err)
			return l, ok
		}
		first, ok := take("a", time.Hour)
		require.True(t, ok)
		_, ok = take("b", time.Hour)
		require.False(t, ok)
		require.NoError(t, s.ReturnLease(t.Context(), first))
		second, ok := take("b", -time.Second) // has run out already
		require.True(t, ok)
		third, ok := take("a", time.Hour)
		require.True(t, ok)
		require.NoError(t, s.ReturnLease(t.Context(), second), "what is lost is not given back")
		_, ok = take("b", time.Hour)
		require.False(t, ok)
		_, ok = take("a", time.Hour)
		require.True(t, ok, "its holder prolongs it")

		// Whoever was overtaken deletes nothing more.
		startSession(t, s)
		for _, old := range []store.Lease{first, second, third} {
			_, err := s.DeleteSessionsBefore(t.Context(), old, start.Add(time.Hour))
			require.ErrorIs(t, err, store.ErrLeaseLost)
			_, err = s.DeleteContactBefore(t.Context(), old, start.Add(time.Hour))
			require.ErrorIs(t, err, store.ErrLeaseLost)
			require.ErrorIs(t, s.RecordRetention(t.Context(), old, store.RetentionRun{}), store.ErrLeaseLost)
		}
	})
}

func TestClockIsTheDatabases(t *testing.T) {
	onBoth(t, func(t *testing.T, s *store.Store) {
		first, err := s.Clock(t.Context())
		require.NoError(t, err)
		second, err := s.Clock(t.Context())
		require.NoError(t, err)
		assert.False(t, second.Before(first))
		assert.Equal(t, time.UTC, first.Location())
		assert.Equal(t, time.Now().Year(), first.Year())
	})
}
