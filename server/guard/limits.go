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

	"github.com/throttled/throttled/v2"
	"github.com/throttled/throttled/v2/store/memstore"

	"simora/server/sim"
	"simora/server/wire"
)

// maxCounted is how many callers each budget remembers; the least recent go
// first.
const maxCounted = 1 << 16

// Limits counts calls against their budgets with the generic cell rate
// algorithm. It counts for this process.
type Limits struct {
	factor float64

	mu       sync.Mutex
	limiters map[string]*throttled.GCRARateLimiterCtx
}

// NewLimits multiplies every budget by factor.
func NewLimits(factor float64) *Limits {
	return &Limits{factor: factor, limiters: map[string]*throttled.GCRARateLimiterCtx{}}
}

// Allow takes one call. It returns sim.ErrRateLimited with the time to wait.
func (l *Limits) Allow(ctx context.Context, budget string, limit wire.Limit, key string) error {
	limiter, err := l.limiter(budget, limit)
	if err != nil {
		return err
	}
	switch limit.By {
	case wire.ByAddress, wire.BySignIn:
		key = bucket(key)
	case wire.ByAccount:
		address, account, _ := strings.Cut(key, " ")
		key = bucket(address) + " " + account
	case wire.BySession, wire.ByAll:
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

func (l *Limits) limiter(budget string, limit wire.Limit) (*throttled.GCRARateLimiterCtx, error) {
	name := budget + "\x00" + strconv.Itoa(int(limit.By))
	l.mu.Lock()
	defer l.mu.Unlock()
	if limiter, ok := l.limiters[name]; ok {
		return limiter, nil
	}
	store, err := memstore.NewCtx(maxCounted)
	if err != nil {
		return nil, fmt.Errorf("make counter: %w", err)
	}
	scaled := func(n int) int { return max(1, int(math.Ceil(float64(n)*l.factor))) }
	limiter, err := throttled.NewGCRARateLimiterCtx(store, throttled.RateQuota{
		MaxRate:  throttled.PerDuration(scaled(limit.Count), limit.Per),
		MaxBurst: scaled(limit.Burst) - 1, // the library counts those beyond the first
	})
	if err != nil {
		return nil, fmt.Errorf("make limit: %w", err)
	}
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
