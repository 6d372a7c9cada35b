package app

import (
	"crypto/rand"
	"log/slog"
	"time"

	"github.com/google/uuid"

	"simora/server/console"
	"simora/server/hooks"
	"simora/server/store"
	"simora/server/xapi"
)

// integrations are the words for other systems, the sender, and the console's
// page about them.
func (c serveCommand) integrations(s *store.Store, log *slog.Logger) (hooks.Events, *hooks.Sender, *console.Integrations) {
	page := &console.Integrations{Store: s, Private: c.HooksPrivate, Now: time.Now, NewID: uuid.NewString, Random: rand.Reader}
	if c.XAPIEndpoint == "" {
		return hooks.Events{}, hooks.NewSender(s, c.network, nil, c.HooksPrivate, time.Now, log), page
	}
	page.Records = &console.RecordStore{Endpoint: string(c.XAPIEndpoint), Actor: c.XAPIActor}
	words := &xapi.Words{PublicURL: string(c.PublicURL), Actor: xapi.Actor(c.XAPIActor), Pass: int(c.XAPIPass)}
	records := &hooks.RecordStore{Endpoint: string(c.XAPIEndpoint), Key: c.XAPIKey, Secret: c.XAPISecret}
	return hooks.Events{Records: words}, hooks.NewSender(s, c.network, records, c.HooksPrivate, time.Now, log), page
}
