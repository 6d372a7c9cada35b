package app

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"time"

	"simora/server/audit"
	"simora/server/health"
	"simora/server/outbound"
	"simora/server/privacy"
	"simora/server/store"
)

// claims binds each promise of the privacy page to what keeps it here.
func (c serveCommand) claims(s *store.Store, trail audit.Trail, watch *health.Watch, log *slog.Logger) *privacy.Claims {
	return &privacy.Claims{Now: time.Now, Log: log, Measures: []privacy.Measure{
		{ID: "encryption", Look: func(ctx context.Context) (privacy.State, []privacy.Fact, error) { return c.encryption(ctx, s) }},
		{ID: "hosting", Look: c.hosting},
		{ID: "access", Look: func(ctx context.Context) (privacy.State, []privacy.Fact, error) { return accessControl(ctx, trail) }},
		{ID: "retention", Look: func(ctx context.Context) (privacy.State, []privacy.Fact, error) { return c.deletion(ctx, s) }},
		{ID: "sharing", Look: func(ctx context.Context) (privacy.State, []privacy.Fact, error) { return c.sharing(ctx, s) }},
		{ID: "uptime", Look: func(ctx context.Context) (privacy.State, []privacy.Fact, error) { return uptime(ctx, watch) }},
	}}
}

func (c serveCommand) encryption(ctx context.Context, s *store.Store) (privacy.State, []privacy.Fact, error) {
	state := privacy.Active
	var facts []privacy.Fact
	ways := c.connections()
	switch ways.Inward {
	case "server":
		facts = append(facts, privacy.Said("In transit: this server speaks TLS 1.2 and 1.3 only."))
		if !ways.Expires.IsZero() {
			facts = append(facts, privacy.SaidAt(ways.Expires, "Its certificate is good until"))
		}
	case "proxy":
		facts = append(facts, privacy.Said("In transit: a proxy in front of this server encrypts, as its operator states."))
	default:
		state = privacy.Partly
		facts = append(facts, privacy.Said("In transit: not configured. Connections to this installation are not encrypted."))
	}
	unsafe := slices.ContainsFunc(ways.Outward, func(l outbound.Link) bool { return !l.Verified && !l.Local() })
	if unsafe {
		state = privacy.Partly
		facts = append(facts, privacy.Said("A connection of this server to another machine is not verified."))
	}
	if c.SMTPURL == "" && c.OutboxPlaintext {
		state = privacy.Partly
		facts = append(facts, privacy.Said("At rest: letters are written as readable files on this installation."))
	}
	keys, since, err := s.Keys().Extent(ctx)
	if err != nil {
		return "", nil, err
	}
	facts = append(facts, privacy.Said("At rest: AES-256-GCM, field by field, with %d keys outside of the database.", keys), privacy.SaidAt(since, "Active since"))
	return state, facts, nil
}

// hosting repeats the operator's labels: where a machine really stands no
// program can know.
func (c serveCommand) hosting(context.Context) (privacy.State, []privacy.Fact, error) {
	if c.Region == "" {
		return privacy.Off, []privacy.Fact{privacy.Said("No region is named for this installation: it runs in one place, where its owner put it.")}, nil
	}
	regions := []string{c.Region}
	for _, region := range c.Regions {
		regions = append(regions, region)
	}
	slices.Sort(regions)
	regions = slices.Compact(regions)
	facts := []privacy.Fact{privacy.Said("Regions, as the operator states: %s.", strings.Join(regions, ", "))}
	if len(c.AllowedRegions) > 0 {
		facts = append(facts, privacy.Said("The server refuses to start with anything outside of %s.", strings.Join(c.AllowedRegions, ", ")))
	}
	if len(regions) < 2 {
		return privacy.Partly, append(facts, privacy.Said("A second region is not configured.")), nil
	}
	return privacy.Active, facts, nil
}

// lateVerification is twice the time after which the log is verified again.
const lateVerification = 48 * time.Hour

func accessControl(ctx context.Context, trail audit.Trail) (privacy.State, []privacy.Fact, error) {
	last, err := trail.LastVerified(ctx)
	switch {
	case err != nil:
		return "", nil, err
	case last == nil:
		return privacy.Active, []privacy.Fact{privacy.Said("The audit log is on. It is verified for the first time within a day.")}, nil
	case !last.Whole:
		return privacy.Failing, []privacy.Fact{privacy.SaidAt(last.At, "The audit log did not pass its verification of")}, nil
	case time.Since(last.At) > lateVerification:
		return privacy.Failing, []privacy.Fact{privacy.SaidAt(last.At, "The audit log was not verified since")}, nil
	}
	return privacy.Active, []privacy.Fact{privacy.SaidAt(last.At, "Audit log verified, %d entries without a gap,", last.Entries)}, nil
}

const promisedRetention = 90 * 24 * time.Hour

func (c serveCommand) deletion(ctx context.Context, s *store.Store) (privacy.State, []privacy.Fact, error) {
	run, known, err := s.LastRetention(ctx)
	if err != nil {
		return "", nil, err
	}
	facts := []privacy.Fact{privacy.Said("Demo sessions are deleted after %d days on this installation.", c.Retention.Days())}
	if !known {
		return privacy.Measuring, append(facts, privacy.Said("The first run is not over yet.")), nil
	}
	facts = append(facts, privacy.SaidAt(run.At, "Last run, which deleted %d sessions:", run.Sessions))
	if run.Oldest != nil {
		facts = append(facts, privacy.SaidAt(*run.Oldest, "Oldest session on record:"))
	} else {
		facts = append(facts, privacy.Said("No session was on record then."))
	}
	switch {
	case time.Since(run.At) > lateRun:
		return privacy.Failing, facts, nil
	case time.Duration(c.Retention) > promisedRetention:
		return privacy.Partly, facts, nil
	}
	return privacy.Active, facts, nil
}

// receivers are what other machines are for, in words for visitors.
var receivers = map[string]string{
	"database": "a database server", "replica": "a database replica", "keys": "a store of keys", "media": "a store of pictures and films",
	"smtp": "a mail server", "llm": "a language model, which reads the conversation", "xapi": "the owner's learning record store",
}

func (c serveCommand) sharing(ctx context.Context, s *store.Store) (privacy.State, []privacy.Fact, error) {
	var named []string
	for _, l := range c.network.Links() {
		if words, known := receivers[l.Name]; known && !l.Local() && !slices.Contains(named, words) {
			named = append(named, words)
		}
	}
	hooks, err := s.Hooks(ctx)
	if err != nil {
		return "", nil, err
	}
	if slices.ContainsFunc(hooks, func(h store.Hook) bool { return h.Enabled }) {
		named = append(named, "systems of the owner's, which it tells of runs, letters or messages")
	}
	facts := []privacy.Fact{privacy.Said("These pages ask nobody else for anything: their policy forbids it, and every browser test checks it.")}
	if len(named) == 0 {
		return privacy.Active, append(facts, privacy.Said("This server speaks with no other machine about you.")), nil
	}
	return privacy.Active, append(facts, privacy.Said("On the owner's behalf this server uses %s.", strings.Join(named, ", "))), nil
}

const (
	uptimeDays     = 90
	promisedUptime = 99.9
)

func uptime(ctx context.Context, watch *health.Watch) (privacy.State, []privacy.Fact, error) {
	a, known, err := watch.Availability(ctx, uptimeDays)
	if err != nil {
		return "", nil, err
	}
	if !known {
		return privacy.Measuring, []privacy.Fact{privacy.Said("The measurement has just begun.")}, nil
	}
	state := privacy.Active
	if a.Percent < promisedUptime {
		state = privacy.Failing
	}
	return state, []privacy.Fact{
		privacy.Said("Measured: %.2f%% of the minutes, %d down.", a.Percent, a.MinutesDown),
		privacy.SaidAt(a.Since, "Counted from inside, since"),
	}, nil
}
