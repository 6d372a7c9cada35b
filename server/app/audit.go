package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"simora/server/audit"
	"simora/server/config"
	"simora/server/sim"
	"simora/server/store"
)

func (c serveCommand) trail(s *store.Store, log *slog.Logger) audit.Trail {
	return audit.Trail{Store: s, Dir: c.Data.Data, Age: time.Duration(c.AuditRetention), Now: time.Now, Clock: s.Clock, Log: log}
}

// started records how the server was configured, without secrets.
func (c serveCommand) started(ctx context.Context, s *store.Store) error {
	either := func(set bool, yes, no string) string {
		if set {
			return yes
		}
		return no
	}
	return s.Audit(ctx, sim.Event{Action: sim.ServerStarted, Object: "server", Detail: map[string]string{
		"version": version(), "database": either(c.DatabaseURL != "", "PostgreSQL", "SQLite"), "mail": either(c.SMTPURL != "", "SMTP", "files"),
		"media": either(c.MediaURL != "", "S3", "files"), "model": either(c.Connected(), c.LLMModel, "built-in"), "publicUrl": string(c.PublicURL),
		"retention": time.Duration(c.Retention).String(), "contactRetention": time.Duration(c.ContactRetention).String(), "auditRetention": time.Duration(c.AuditRetention).String(),
		"trustedProxies": strconv.Itoa(len(c.TrustedProxies)), "limitFactor": fmt.Sprint(float64(c.LimitFactor)), "reportWords": strconv.FormatBool(c.ReportWords),
	}})
}

// stopped is the last entry of a server's life; its number is mirrored.
func (c serveCommand) stopped(ctx context.Context, s *store.Store, log *slog.Logger) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), headerTime)
	defer cancel()
	if err := s.Audit(ctx, sim.Event{Action: sim.ServerStopped, Object: "server"}); err != nil {
		return err
	}
	return c.trail(s, log).Mirror(ctx)
}

type auditCommand struct {
	Verify auditVerify `cmd:"" help:"Look for signs of tampering in the audit log; exit code 1 when there are any."`
	List   auditList   `cmd:"" help:"Print the audit log."`
}

type auditVerify struct{ config.Data }

// Run prints every problem.
func (c auditVerify) Run(ctx context.Context, p Process) (err error) {
	s, err := openStore(ctx, c.Data, p.logger(), false)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	quiet := slog.New(slog.DiscardHandler) // what is found is printed
	check, err := audit.Trail{Store: s, Dir: c.Data.Data, Now: time.Now, Log: quiet}.Verify(ctx)
	if err != nil {
		return err
	}
	for _, problem := range check.Problems {
		p.say("%s\n", problem)
	}
	if n := len(check.Problems); n > 0 {
		return fmt.Errorf("the audit log was tampered with: %d problems. Keep the database as it is, and compare it with a backup", n)
	}
	p.say("Entries %d to %d are whole and in order.\n", check.First, check.Last)
	if check.Erased > 0 {
		p.say("The details of %d were erased together with the persons they were about.\n", check.Erased)
	}
	return nil
}

type auditList struct {
	config.Data

	Since  config.Age `default:"7d" placeholder:"AGE" help:"How far back. Default: ${default}."`
	Action string     `placeholder:"NAME" help:"Only this action, such as auth.sign_in_failed."`
}

const listPage = 1000

// Run prints the entries, the oldest first.
func (c auditList) Run(ctx context.Context, p Process) (err error) {
	if c.Action != "" && !sim.Action(c.Action).Known() {
		return fmt.Errorf("--action: found %q, allowed are %v", c.Action, sim.Actions())
	}
	s, err := openStore(ctx, c.Data, p.logger(), false)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	var all []sim.Entry
	f := store.AuditFilter{Action: sim.Action(c.Action), From: time.Now().Add(-time.Duration(c.Since)), Limit: listPage}
	for {
		page, err := s.AuditEntries(ctx, f)
		if err != nil {
			return err
		}
		all = append(all, page...)
		if len(page) < listPage {
			break
		}
		f.Before = page[listPage-1].Seq
	}
	if err := s.Audit(ctx, sim.Event{Action: sim.AuditViewed, Object: "audit log"}); err != nil {
		return err
	}
	slices.Reverse(all)
	for _, e := range all {
		p.say("%s\n", entryLine(e))
	}
	return nil
}

func entryLine(e sim.Entry) string {
	who := string(e.Actor.Kind)
	if e.Actor.ID != "" {
		who += " " + e.Actor.ID
	}
	if e.Email != "" {
		who = e.Email
	}
	if e.Actor.Address != "" {
		who += " from " + e.Actor.Address
	}
	text := fmt.Sprintf("%6d  %s  %-24s %s  (%s) by %s", e.Seq, e.At.UTC().Format(time.RFC3339), e.Action, e.Object, e.Result, who)
	for _, name := range slices.Sorted(maps.Keys(e.Detail)) {
		text += fmt.Sprintf("  %s=%s", name, strings.Join(strings.Fields(e.Detail[name]), " "))
	}
	if e.Erased {
		text += "  (details erased)"
	}
	return text
}
