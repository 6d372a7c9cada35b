package console

import (
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"slices"
	"time"

	"simora/server/hooks"
	"simora/server/sim"
	"simora/server/store"
)

const (
	mostDeliveries = 100
	secretBytes    = 32
)

// Integrations connects other systems for an admin.
type Integrations struct {
	Store   *store.Store
	Private bool         // webhooks may reach private addresses
	Records *RecordStore // nil: there is no learning record store
	Now     func() time.Time
	NewID   func() string
	Random  io.Reader // for secrets
}

// RecordStore is what the settings say of the learning record store.
type RecordStore struct {
	Endpoint string `json:"endpoint"`
	Actor    string `json:"actor"` // how learners are named: pseudonym, mbox_sha1sum or mbox
}

// Hook is a webhook as listed.
type Hook struct {
	ID        string    `json:"id"`
	URL       string    `json:"url"`
	Events    []string  `json:"events"`
	Personal  bool      `json:"personal"`
	Enabled   bool      `json:"enabled"`
	CreatedAt time.Time `json:"created_at"`
}

// Delivery is a line of the log. Times are null and figures 0 before the first
// attempt.
type Delivery struct {
	ID        string     `json:"id"`
	HookID    string     `json:"hook_id"` // "xapi": the learning record store
	Event     string     `json:"event"`
	State     string     `json:"state"` // queued, delivered, failed
	Attempts  int        `json:"attempts"`
	CreatedAt time.Time  `json:"created_at"`
	TriedAt   *time.Time `json:"tried_at"`
	DueAt     time.Time  `json:"due_at"`  // of the next attempt
	Took      int64      `json:"took_ms"` // the last attempt
	Status    int        `json:"status"`
	LastError string     `json:"last_error"`
}

// Connected is everything on the page.
type Connected struct {
	Hooks      []Hook       `json:"hooks"`
	Records    *RecordStore `json:"records"` // null: none
	Deliveries []Delivery   `json:"deliveries"`
}

// Connected lists the webhooks and the newest hundred deliveries.
func (c *Integrations) Connected(ctx context.Context) (Connected, error) {
	out := Connected{Hooks: []Hook{}, Records: c.Records, Deliveries: []Delivery{}}
	found, err := c.Store.Hooks(ctx)
	if err != nil {
		return out, err
	}
	for _, h := range found {
		out.Hooks = append(out.Hooks, hookOf(h))
	}
	deliveries, err := c.Store.Deliveries(ctx, mostDeliveries)
	if err != nil {
		return out, err
	}
	for _, d := range deliveries {
		out.Deliveries = append(out.Deliveries, Delivery{
			ID: d.ID, HookID: d.HookID, Event: d.Event, State: string(d.State), Attempts: d.Attempts, CreatedAt: d.CreatedAt,
			TriedAt: d.TriedAt, DueAt: d.DueAt, Took: d.Took.Milliseconds(), Status: d.Status, LastError: d.LastError,
		})
	}
	return out, nil
}

func hookOf(h store.Hook) Hook {
	return Hook{ID: h.ID, URL: h.Target.URL, Events: h.Events, Personal: h.Personal, Enabled: h.Enabled, CreatedAt: h.CreatedAt}
}

// HookInput is the form of a webhook.
type HookInput struct {
	URL      string   `json:"url"`
	Events   []string `json:"events"`
	Personal bool     `json:"personal"`
}

// CreateHook stores a webhook and returns its secret, this once.
// Errors: validation_failed, too_many_hooks.
func (c *Integrations) CreateHook(ctx context.Context, in HookInput) (h Hook, secret string, err error) {
	if problem := hooks.CheckURL(in.URL, c.Private); problem != "" {
		return h, "", sim.ValidationFailed("url: " + problem)
	}
	known := []string{hooks.ContactReceived, hooks.RunFinished, hooks.ReportMailed}
	wanted := slices.DeleteFunc(slices.Clone(known), func(event string) bool { return !slices.Contains(in.Events, event) })
	if len(wanted) == 0 || len(wanted) != len(in.Events) {
		return h, "", sim.ValidationFailed(fmt.Sprintf("events: choose at least one of %v, each once", known))
	}
	key := make([]byte, secretBytes)
	if _, err := io.ReadFull(c.Random, key); err != nil {
		return h, "", fmt.Errorf("make secret: %w", err)
	}
	kept := store.Hook{
		ID: c.NewID(), Events: wanted, Personal: in.Personal, Enabled: true, CreatedAt: c.Now(),
		Target: store.HookTarget{URL: in.URL, Secret: "whsec_" + base64.StdEncoding.EncodeToString(key)},
	}
	ok, err := c.Store.AddHook(ctx, kept, hooks.MostHooks)
	switch {
	case err != nil:
		return h, "", err
	case !ok:
		return h, "", &sim.Error{Kind: sim.Conflict, Code: "too_many_hooks", Message: fmt.Sprintf("There can be %d webhooks. Delete one first.", hooks.MostHooks)}
	}
	return hookOf(kept), kept.Target.Secret, nil
}

// SwitchInput turns a webhook on or off.
type SwitchInput struct {
	ID      string `json:"id"`
	Enabled bool   `json:"enabled"`
}

// SwitchHook turns a webhook on or off. Errors: hook_not_found.
func (c *Integrations) SwitchHook(ctx context.Context, in SwitchInput) error {
	return c.Store.SwitchHook(ctx, in.ID, in.Enabled)
}

// DeleteHook removes a webhook with its log. Errors: hook_not_found.
func (c *Integrations) DeleteHook(ctx context.Context, in IDInput) error {
	return c.Store.DeleteHook(ctx, in.ID)
}

// TestHook queues a test for a webhook. Errors: hook_not_found, hook_off.
func (c *Integrations) TestHook(ctx context.Context, in IDInput) error {
	all, err := c.Store.Hooks(ctx)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(all, func(h store.Hook) bool { return h.ID == in.ID })
	switch {
	case i < 0:
		return store.ErrHookNotFound
	case !all[i].Enabled:
		return &sim.Error{Kind: sim.Conflict, Code: "hook_off", Message: "This webhook is off. Turn it on first."}
	}
	ping, err := hooks.Ping(c.NewID(), in.ID, c.Now())
	if err != nil {
		return err
	}
	return c.Store.Tell(ctx, ping)
}

// SendAgain queues a delivery once more, under its own id.
// Errors: delivery_not_found.
func (c *Integrations) SendAgain(ctx context.Context, in IDInput) error {
	return c.Store.SendAgain(ctx, in.ID, c.Now())
}
