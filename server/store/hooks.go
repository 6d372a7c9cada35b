package store

import (
	"context"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"

	"simora/server/sim"
)

// ErrHookNotFound is the answer to an id that no hook has.
var ErrHookNotFound = &sim.Error{Kind: sim.NotFound, Code: "hook_not_found", Message: "This webhook is not there any more"}

// Hook is an address of another system that is told what happens.
type Hook struct {
	ID        string
	Target    HookTarget
	Events    []string // names of events
	Personal  bool     // tell personal data, too
	Enabled   bool
	CreatedAt time.Time
}

// HookTarget is the part that is sealed.
type HookTarget struct {
	URL    string `json:"url"`
	Secret string `json:"secret"` // whsec_…, as the Standard Webhooks specification writes it
}

// AddHook stores a hook unless there are most of them; ok is false then.
func (s *Store) AddHook(ctx context.Context, h Hook, most int) (ok bool, err error) {
	target, err := s.sealJSON("hooks", "target", h.ID, h.Target)
	if err != nil {
		return false, err
	}
	err = s.inTx(ctx, durable, "add hook", func(tx *Tx) error {
		var n int
		if err := tx.row("SELECT count(*) FROM hooks").Scan(&n); err != nil {
			return err
		}
		if ok = n < most; !ok {
			return nil
		}
		_, err := tx.exec("INSERT INTO hooks (id, target, events, personal, enabled, created_at) VALUES ($1,$2,$3,$4,$5,$6)",
			h.ID, target, eventList(h.Events), h.Personal, h.Enabled, millis(h.CreatedAt))
		if err != nil {
			return err
		}
		return tx.audit(sim.Event{Action: sim.WebhookCreated, Object: "webhook " + h.ID, Detail: map[string]string{
			"host": hostOf(h.Target.URL), "events": strings.Join(h.Events, " "), "personal": strconv.FormatBool(h.Personal),
		}})
	})
	return ok, err
}

// hostOf leaves out the rest of an address, which may hold a secret.
func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Host
}

func eventList(events []string) string { return " " + strings.Join(events, " ") + " " }

// Hooks are all, the oldest first.
func (s *Store) Hooks(ctx context.Context) ([]Hook, error) {
	list := []Hook{}
	err := s.each(ctx, "SELECT id, target, events, personal, enabled, created_at FROM hooks ORDER BY created_at, id", func(scan func(...any) error) error {
		var h Hook
		var target []byte
		var events string
		var created int64
		if err := scan(&h.ID, &target, &events, &h.Personal, &h.Enabled, &created); err != nil {
			return err
		}
		h.Events, h.CreatedAt = strings.Fields(events), fromMillis(created)
		list = append(list, h)
		return s.openJSON("hooks", "target", h.ID, target, &list[len(list)-1].Target)
	})
	if err != nil {
		return nil, fmt.Errorf("hooks: %w", err)
	}
	return list, nil
}

// SwitchHook turns a hook on or off. While it is off nothing new is queued for
// it, and what is queued waits. Errors: ErrHookNotFound.
func (s *Store) SwitchHook(ctx context.Context, id string, enabled bool) error {
	return s.inTx(ctx, durable, "switch hook", func(tx *Tx) error {
		n, err := tx.exec("UPDATE hooks SET enabled = $2 WHERE id = $1", id, enabled)
		if err = orNotFound(n, err, ErrHookNotFound); err != nil {
			return err
		}
		return tx.audit(sim.Event{Action: sim.WebhookChanged, Object: "webhook " + id, Detail: map[string]string{"enabled": strconv.FormatBool(enabled)}})
	})
}

// DeleteHook removes a hook with its deliveries. Errors: ErrHookNotFound.
func (s *Store) DeleteHook(ctx context.Context, id string) error {
	return s.inTx(ctx, durable, "delete hook", func(tx *Tx) error {
		n, err := tx.exec("DELETE FROM hooks WHERE id = $1", id)
		if err = orNotFound(n, err, ErrHookNotFound); err != nil {
			return err
		}
		if _, err = tx.exec("DELETE FROM deliveries WHERE hook_id = $1", id); err != nil {
			return err
		}
		return tx.audit(sim.Event{Action: sim.WebhookDeleted, Object: "webhook " + id})
	})
}

func orNotFound(n int64, err error, missing *sim.Error) error {
	if err == nil && n == 0 {
		return missing
	}
	return err
}
