package hooks

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strconv"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"simora/server/outbound"
	"simora/server/store"
	"simora/server/xapi"
)

// MostHooks is how many there can be.
const MostHooks = 20

const (
	look       = 3 * time.Second // how often the queue is looked at
	recordTime = 5 * time.Second
	maxReason  = 300
)

// waits before the second attempt, the third, and so on: six attempts in about
// a day.
var waits = []time.Duration{time.Minute, 10 * time.Minute, time.Hour, 5 * time.Hour, 18 * time.Hour}

// mostWait bounds what a receiver may ask for with Retry-After.
const mostWait = 24 * time.Hour

// RecordStore is a learning record store.
type RecordStore struct {
	Endpoint string // before /statements
	Key      string
	Secret   string
}

// Sender takes deliveries out of the queue. Several may work on one queue.
type Sender struct {
	store   *store.Store
	records *RecordStore
	hooks   *http.Client
	lrs     *http.Client
	now     func() time.Time
	log     *slog.Logger
}

// NewSender returns one. private lets webhooks reach private addresses; the
// record store has to be a link of the network.
func NewSender(s *store.Store, network *outbound.Network, records *RecordStore, private bool, now func() time.Time, log *slog.Logger) *Sender {
	return &Sender{s, records, abroad(network, private), client(network.Transport()), now, log}
}

// Run works through the queue until ctx ends.
func (s *Sender) Run(ctx context.Context) {
	for ctx.Err() == nil {
		if err := s.Drain(ctx); err != nil && ctx.Err() == nil {
			s.log.ErrorContext(ctx, "deliveries", "error", err)
		}
		pause(ctx, nil)
	}
}

// pause waits for a look, or for what comes first.
func pause(ctx context.Context, done <-chan struct{}) (finished bool) {
	timer := time.NewTimer(look)
	defer timer.Stop()
	select {
	case <-done:
		return true
	case <-timer.C:
	case <-ctx.Done():
	}
	return false
}

// Drain makes an attempt with every delivery that is due now: one at a time for
// each receiver, all receivers at once.
func (s *Sender) Drain(ctx context.Context) (err error) {
	done := make(chan struct{}, MostHooks+1)
	running := 0
	defer func() {
		for ; running > 0; running-- {
			<-done
		}
	}()
	for ctx.Err() == nil {
		d, ok, err := s.store.ClaimDelivery(ctx, s.now(), s.records != nil)
		switch {
		case err != nil:
			return err
		case ok:
			running++
			go func() {
				defer func() { done <- struct{}{} }()
				s.deliver(ctx, d)
			}()
		case running == 0:
			return nil
		}
		if !ok || running > MostHooks {
			if pause(ctx, done) {
				running--
			}
		}
	}
	return nil
}

// deliver makes one attempt and records what became of it. When ctx ends first
// the delivery stays queued.
func (s *Sender) deliver(ctx context.Context, d store.Delivery) {
	began := s.now()
	status, after, err := s.send(ctx, d)
	a := s.judge(d, status, after, err)
	if ctx.Err() != nil && err != nil {
		a = store.Attempt{State: store.Waiting, Due: s.now(), Error: "the server was stopped meanwhile"}
	}
	a.Took = s.now().Sub(began)
	// The record must be made even when the server is stopping.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), recordTime)
	defer cancel()
	if status == http.StatusGone && d.HookID != store.RecordStore {
		if err := s.store.SwitchHook(ctx, d.HookID, false); err != nil && !errors.Is(err, store.ErrHookNotFound) {
			s.log.ErrorContext(ctx, "hook not switched off", "hook", d.HookID, "error", err)
		}
	}
	if err := s.store.RecordAttempt(ctx, d, a); err != nil {
		s.log.ErrorContext(ctx, "attempt not recorded", "delivery", d.ID, "error", err)
	}
	if a.State != store.Delivered {
		s.log.WarnContext(ctx, "delivery failed", "delivery", d.ID, "hook", d.HookID, "event", d.Event, "attempts", d.Attempts, "status", status, "next", a.State)
	}
}

// judge says what an answer, or none, means for a delivery.
func (s *Sender) judge(d store.Delivery, status int, after time.Duration, err error) store.Attempt {
	a := store.Attempt{Status: status, Due: s.now()}
	if d.Unreadable != nil {
		a.State, a.Error = store.GivenUp, "its key is gone: it cannot be read"
		return a
	}
	if err == nil && status/100 == 2 {
		a.State = store.Delivered
		return a
	}
	switch {
	case err != nil:
		a.Error = reason(err)
	case status/100 == 3:
		a.Error = errRedirect.Error()
	case status == http.StatusGone && d.HookID != store.RecordStore:
		a.Error = "the receiver is gone (410): the webhook was switched off"
	default:
		a.Error = fmt.Sprintf("the receiver answered %d %s", status, http.StatusText(status))
	}
	a.Error = a.Error[:min(len(a.Error), maxReason)]
	if d.Attempts > len(waits) || status == http.StatusGone || d.HookID == store.RecordStore && refused(status) {
		a.State = store.GivenUp
		return a
	}
	a.State, a.Due = store.Waiting, s.now().Add(max(waits[d.Attempts-1], min(after, mostWait)))
	return a
}

// refused are answers of a record store that another try would not change.
func refused(status int) bool {
	return status == http.StatusBadRequest || status == http.StatusConflict || status == http.StatusRequestEntityTooLarge
}

// send makes the request. after is what the receiver asks for with Retry-After.
func (s *Sender) send(ctx context.Context, d store.Delivery) (status int, after time.Duration, err error) {
	if d.Unreadable != nil {
		return 0, 0, d.Unreadable
	}
	ctx, cancel := context.WithTimeout(ctx, attemptTime)
	defer cancel()
	r, by, err := s.request(ctx, d)
	if err != nil {
		return 0, 0, err
	}
	response, err := by.Do(r)
	if err != nil {
		return 0, 0, err
	}
	defer func() { _ = response.Body.Close() }()
	_, _ = io.CopyN(io.Discard, response.Body, maxAnswerRead) // the status is all that counts
	return response.StatusCode, retryAfter(response.Header.Get("Retry-After"), s.now()), nil
}

func (s *Sender) request(ctx context.Context, d store.Delivery) (*http.Request, *http.Client, error) {
	address := d.Target.URL
	if d.HookID == store.RecordStore {
		address = s.records.Endpoint + "/statements"
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(d.Payload))
	if err != nil {
		return nil, nil, err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("User-Agent", "Simora")
	if d.HookID == store.RecordStore {
		r.SetBasicAuth(s.records.Key, s.records.Secret)
		r.Header.Set("X-Experience-Api-Version", xapi.Version)
		return r, s.lrs, nil
	}
	seal, err := standardwebhooks.NewWebhook(d.Target.Secret)
	if err != nil {
		return nil, nil, err
	}
	at := s.now()
	signature, err := seal.Sign(d.ID, at, d.Payload)
	if err != nil {
		return nil, nil, err
	}
	r.Header.Set(standardwebhooks.HeaderWebhookID, d.ID)
	r.Header.Set(standardwebhooks.HeaderWebhookTimestamp, strconv.FormatInt(at.Unix(), 10))
	r.Header.Set(standardwebhooks.HeaderWebhookSignature, signature)
	return r, s.hooks, nil
}

// retryAfter reads seconds or a date; zero when there is neither.
func retryAfter(text string, now time.Time) time.Duration {
	if seconds, err := strconv.ParseInt(text, 10, 32); err == nil {
		return max(0, time.Duration(seconds)*time.Second)
	}
	if at, err := http.ParseTime(text); err == nil {
		return max(0, at.Sub(now))
	}
	return 0
}
