package app

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"simora/server/config"
	"simora/server/keyring"
	"simora/server/mail"
)

func outboxOf(d config.Data, keys *keyring.Keyring) mail.Outbox {
	return mail.Outbox{Dir: filepath.Join(d.Data, "outbox"), Keys: keys}
}

type outboxCommand struct {
	List outboxList `cmd:"" help:"List the letters."`
	Show outboxShow `cmd:"" help:"Print a letter, as an .eml file."`
}

type outboxList struct{ config.Data }

// Run prints a line for each letter: id, time, subject.
func (c outboxList) Run(ctx context.Context, p Process) error {
	keys, err := readKeys(ctx, c.Data)
	if err != nil {
		return err
	}
	list, err := outboxOf(c.Data, keys).List()
	for _, l := range list {
		p.say("%s  %s  %s\n", l.ID, l.At.UTC().Format(time.DateTime), l.Subject)
	}
	return err
}

type outboxShow struct {
	config.Data

	ID string `arg:"" help:"The letter's id, from simora outbox list."`
}

// Run prints the letter.
func (c outboxShow) Run(ctx context.Context, p Process) error {
	keys, err := readKeys(ctx, c.Data)
	if err != nil {
		return err
	}
	raw, err := outboxOf(c.Data, keys).Show(c.ID)
	if err != nil {
		return fmt.Errorf("letter %s: %w", c.ID, err)
	}
	p.say("%s", raw)
	return nil
}
