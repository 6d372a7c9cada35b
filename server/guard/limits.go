package guard

import (
	"context"
	"fmt"
	"math"
	"net/netip"
	"strconv"
	"strings"
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/throttled/throttled/v2"
	"github.com/throttled/throttled/v2/store/memstore"

	"simora/server/sim"
	"simora/server/store"
	"simora/server/wire"
)

// maxCounted is how many callers each budget remembers; the least recent go
// first.
const maxCounted = 1 << 16

// maxKey is as long as an address and a mail address; a longer key is none of
// ours, and is remembered by its beginning.
const maxKey = 320

// Limits counts calls against their budgets with the generic cell rate
// algorithm: in the database that the instances share, or in this process.
type Limits struct {
	factor  float64
	shared  *store.Store                  // nil: counted in this process
	refused *lru.Cache[string, time.Time] // until when: a flood of refused calls costs the database nothing
	now     func() time.Time              // with refused

	mu       sync.Mutex
	limiters map[string]*throttled.GCRARateLimiterCtx
}

// NewLimits multiplies every budget by factor and counts for this process.
func NewLimits(factor float64) *Limits {
	return &Limits{factor: factor, limiters: map[string]*throttled.GCRARateLimiterCtx{}}
}

// SharedLimits is NewLimits, but counts in s where other processes may be at
// work on the same data.
func SharedLimits(factor float64, s *store.Store, now func() time.Time) (*Limits, error) {
	l := NewLimits(factor)
	if !s.Shared() {
		return l, nil
	}
	refused, err := lru.New[string, time.Time](maxCounted)
	if err != nil {
		return nil, fmt.Errorf("make limits: %w", err)
	}
	l.shared, l.refused, l.now = s, refused, now
	return l, nil
}

// Allow takes one call. It returns sim.ErrRateLimited with the time to wait.
func (l *Limits) Allow(ctx context.Context, budget string, limit wire.Limit, key string) error {
	if len(key) > maxKey {
		key = strings.Clone(key[:maxKey])
	}
	switch limit.By {
	case wire.ByAddress, wire.BySignIn:
		key = bucket(key)
	case wire.ByAccount:
		address, account, _ := strings.Cut(key, " ")
		key = bucket(address) + " " + account
	case wire.BySession, wire.ByAll:
	}
	if l.shared != nil && !limit.Local {
		return l.allowShared(ctx, nameOf(budget, limit)+"\x00"+key, limit)
	}
	limiter, err := l.limiter(nameOf(budget, limit), limit)
	if err != nil {
		return err
	}
	limited, result, err := limiter.RateLimitCtx(ctx, key, 1)
	if err != nil {
		return fmt.Errorf("count call: %w", err)
	}
	if limited {
		return sim.ErrRateLimited.After(max(result.RetryAfter, time.Second))
	}
	return nil
}

func (l *Limits) allowShared(ctx context.Context, name string, limit wire.Limit) error {
	if until, known := l.refused.Get(name); known {
		if wait := until.Sub(l.now()); wait > 0 {
			return sim.ErrRateLimited.After(max(wait, time.Second))
		}
		l.refused.Remove(name)
	}
	wait, err := l.shared.TakeCall(ctx, name, limit.Per/time.Duration(l.scaled(limit.Count)), l.scaled(limit.Burst))
	if err == nil && wait > 0 {
		l.refused.Add(name, l.now().Add(wait))
		return sim.ErrRateLimited.After(max(wait, time.Second))
	}
	return err
}

func nameOf(budget string, limit wire.Limit) string {
	return budget + "\x00" + strconv.Itoa(int(limit.By))
}

func (l *Limits) scaled(n int) int { return max(1, int(math.Ceil(float64(n)*l.factor))) }

func (l *Limits) limiter(name string, limit wire.Limit) (*throttled.GCRARateLimiterCtx, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if limiter, ok := l.limiters[name]; ok {
		return limiter, nil
	}
	store, err := memstore.NewCtx(maxCounted)
	if err != nil {
		return nil, fmt.Errorf("make counter: %w", err)
	}
	limiter, err := throttled.NewGCRARateLimiterCtx(store, throttled.RateQuota{
		MaxRate:  throttled.PerDuration(l.scaled(limit.Count), limit.Per),
		MaxBurst: l.scaled(limit.Burst) - 1, // the library counts those beyond the first
	})
	if err != nil {
		return nil, fmt.Errorf("make limit: %w", err)
	}
	limiter.SetMaxCASAttemptsLimit(math.MaxInt) // ten, its own limit, are not enough for many callers of one key: somebody always gets through
	l.limiters[name] = limiter
	return limiter, nil
}

// bucket is the address a caller is counted under: one IPv6 customer has a
// whole /64.
func bucket(address string) string {
	ip, err := netip.ParseAddr(address)
	if err != nil || !ip.Is6() {
		return address
	}
	return netip.PrefixFrom(ip, 64).Masked().String()
}
