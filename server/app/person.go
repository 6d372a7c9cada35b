package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/google/uuid"

	"simora/server/config"
	"simora/server/mail"
	"simora/server/privacy"
	"simora/server/store"
)

// rightsOf exports and erases. Without a postman it mails nothing.
func rightsOf(ctx context.Context, d config.Data, s *store.Store, postman *mail.Postman, letters mail.Letters, log *slog.Logger) (*privacy.Rights, error) {
	erased, err := openShelf(ctx, d)
	if err != nil {
		return nil, err
	}
	return &privacy.Rights{
		Store: s, Erased: erased, Mail: postman, Letters: letters, DropFiles: outboxOf(d, s.Keys()).Remove,
		Log: log, Now: time.Now, NewID: uuid.NewString,
	}, nil
}

// longestKept is how old anything about a person can be that a backup brings
// back readable: entries of the audit log are no part of any day's key.
func (c serveCommand) longestKept() time.Duration {
	return time.Duration(max(c.Retention, c.ContactRetention, c.AuditRetention))
}

type personCommand struct {
	Export personExport `cmd:"" help:"Print everything as JSON."`
	Erase  personErase  `cmd:"" help:"Delete everything. A restored backup does not bring it back."`
}

// person names whom a command is about.
type person struct {
	config.Data

	Email string `arg:"" help:"Mail address."`
}

type (
	personExport struct{ person }
	personErase  struct{ person }
)

func (c person) with(ctx context.Context, p Process, do func(*privacy.Rights) error) (err error) {
	log := p.logger()
	s, err := openStore(ctx, c.Data, log, false)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	rights, err := rightsOf(ctx, c.Data, s, nil, mail.Letters{}, log)
	if err != nil {
		return err
	}
	return do(rights)
}

// Run prints the export.
func (c personExport) Run(ctx context.Context, p Process) error {
	return c.with(ctx, p, func(rights *privacy.Rights) error {
		found, err := rights.Export(ctx, c.Email)
		if err != nil {
			return fmt.Errorf("%s: %w", c.Email, err)
		}
		text, err := json.MarshalIndent(found, "", "  ")
		if err != nil {
			return fmt.Errorf("encode export: %w", err)
		}
		p.say("%s\n", text)
		return nil
	})
}

// Run erases.
func (c personErase) Run(ctx context.Context, p Process) error {
	return c.with(ctx, p, func(rights *privacy.Rights) error {
		erased, err := rights.Erase(ctx, c.Email)
		if err != nil {
			return fmt.Errorf("%s: %w", c.Email, err)
		}
		p.say("Erased: %d sessions, %d contact messages, %d letters\n", erased.Sessions, erased.Contact, erased.Letters)
		return nil
	})
}
