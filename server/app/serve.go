package app

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"github.com/klauspost/compress/gzhttp"

	"simora/scenarios"
	"simora/server/api"
	"simora/server/api/accounts"
	"simora/server/api/functions"
	"simora/server/api/objects"
	"simora/server/api/tables"
	"simora/server/auth"
	"simora/server/certificate"
	"simora/server/config"
	"simora/server/console"
	"simora/server/contact"
	"simora/server/engine"
	"simora/server/geo"
	"simora/server/guard"
	"simora/server/health"
	"simora/server/llm"
	"simora/server/mail"
	"simora/server/media"
	"simora/server/metrics"
	"simora/server/outbound"
	"simora/server/scenario"
	"simora/server/score"
	"simora/server/session"
	"simora/server/sim"
	"simora/server/site"
	"simora/server/store"
	"simora/server/wire"
	"simora/web"
)

const (
	headerTime  = 5 * time.Second
	pingTime    = 2 * time.Second
	requestTime = 30 * time.Second
	answerTime  = 60 * time.Second
	idleTime    = 2 * time.Minute
	drainTime   = 30 * time.Second
	arriveTime  = time.Second
	traceTime   = 10 * time.Second
	headerBytes = 32 << 10
)

func accountsOf(s *store.Store) auth.Accounts { return auth.Accounts{Store: s, Now: time.Now} }

func openStore(ctx context.Context, d config.Data, log *slog.Logger, exclusive bool) (*store.Store, error) {
	if err := os.MkdirAll(d.Data, 0o700); err != nil {
		return nil, fmt.Errorf("data directory (SIMORA_DATA): %w", err)
	}
	keys, err := makeKeys(ctx, d)
	if err != nil {
		return nil, err
	}
	network, err := dataNetwork(d)
	if err != nil {
		return nil, err
	}
	return store.Open(ctx, store.Options{URL: d.DatabaseURL, Dir: d.Data, Keyring: keys, Log: log, Network: network, Exclusive: exclusive})
}

type serveCommand struct {
	config.Serve

	host    string // the configured public address's; empty: any name is served
	network *outbound.Network

	certificates certificate.Source // nil: somebody else encrypts
}

// server is the product, put together.
type server struct {
	store   *store.Store
	postman *mail.Postman
	jobs    []func(context.Context)
	handler http.Handler
	ready   atomic.Bool
	drain   time.Duration               // from not ready to no new connections
	answers func(context.Context) error // asks the database, at most once a second
}

// Run serves until ctx ends, then finishes what is in flight.
func (c serveCommand) Run(ctx context.Context, p Process) (err error) {
	ctx = sim.WithActor(ctx, sim.Actor{Kind: sim.BySystem})
	log := p.logger()
	for _, name := range config.UnknownVariables(p.Environment) {
		log.WarnContext(ctx, "unknown setting in the environment, ignored", "name", name)
	}
	if c.network, err = c.outward(); err != nil {
		return err
	}
	s, err := openStore(ctx, c.Data, log, true)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	if err := s.UseReplica(c.DatabaseReplicaURL, c.network); err != nil {
		return err
	}
	listener, err := c.listener(ctx)
	if err != nil {
		return err
	}
	c.host = c.PublicURL.Host()
	c.PublicURL = c.public(listener.Addr())
	secured, jobs, err := c.secure(ctx, log, listener)
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	srv, err := c.build(ctx, log, s)
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	srv.jobs = append(srv.jobs, jobs...)
	log.InfoContext(ctx, "connections", "are", c.connections())
	err = c.started(ctx, s)
	if err == nil {
		err = c.welcome(ctx, p, s, listener.Addr())
	}
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	return errors.Join(srv.run(ctx, log, secured), c.stopped(ctx, s, log))
}

// welcome tells where everything is, and the first admin's password once.
func (c serveCommand) welcome(ctx context.Context, p Process, s *store.Store, bound net.Addr) error {
	shown, made, err := accountsOf(s).FirstAdmin(ctx, c.AdminEmail, c.AdminPassword)
	if err != nil {
		return fmt.Errorf("first admin (SIMORA_ADMIN_EMAIL, SIMORA_ADMIN_PASSWORD): %w", err)
	}
	data, err := filepath.Abs(c.Data.Data)
	if err != nil {
		return err
	}
	p.say("Simora is ready:  %s\nIts data lies in: %s\n", c.address(bound), data)
	if made && shown != "" {
		p.say("Admin sign-in:    %s  %s  (this password is shown once)\n", c.AdminEmail, shown)
	}
	return nil
}

// build is the parts list.
func (c serveCommand) build(ctx context.Context, log *slog.Logger, s *store.Store) (*server, error) {
	owner, err := site.LoadOwner(c.SiteFile)
	if err != nil {
		return nil, err
	}
	packages, err := scenario.Load(scenarios.Files)
	if err != nil {
		return nil, err
	}
	if err := seedScenarios(ctx, s, packages); err != nil {
		return nil, err
	}
	partner, judge, model, err := c.engines(packages, s, log)
	if err != nil {
		return nil, err
	}
	post, err := c.post(s.Keys())
	if err != nil {
		return nil, err
	}
	sender, err := mail.NewSender(post)
	if err != nil {
		return nil, fmt.Errorf("SIMORA_SMTP_URL: %w", err)
	}
	events, deliveries, integrations := c.integrations(s, log)
	postman := mail.NewPostman(s, sender, time.Now, log)
	postman.Events = events
	keys, err := c.publicKeys(ctx, s)
	if err != nil {
		return nil, err
	}
	letters := mail.Letters{Brand: owner.Brand, PublicURL: string(c.PublicURL), RetentionDays: c.Retention.Days(), OwnWords: c.ReportWords}
	places, err := geo.Open(c.GeoIPDB)
	if err != nil {
		return nil, fmt.Errorf("SIMORA_GEOIP_DB: %w", err)
	}
	watch, err := c.observe(ctx, log, s, model)
	if err != nil {
		return nil, err
	}
	sessions := &session.Sessions{
		Store: s, Partner: partner, Judge: judge, Mail: postman, Log: log, Now: time.Now, NewID: uuid.NewString, NewSeed: newSeed,
		Letters: letters, Locate: places.Locate, Events: events,
	}
	contactTo := string(c.ContactTo)
	if contactTo == "" {
		contactTo = owner.ContactEmail
	}
	messages := &contact.Messages{Store: s, Mail: postman, Letters: letters, To: contactTo, Log: log, Now: time.Now, NewID: uuid.NewString, Events: events}
	rights, err := rightsOf(ctx, c.Data, s, postman, letters, log)
	if err != nil {
		return nil, err
	}
	if err := rights.EraseAgain(ctx, c.longestKept()); err != nil {
		return nil, err
	}
	trail := c.trail(s, log)
	desk := &console.Console{Store: s, Trail: trail, Partner: partner, Judge: judge, Model: model, Now: time.Now, NewID: uuid.NewString}
	authenticator, err := auth.NewAuthenticator(s, string(c.PublicURL), time.Now)
	if err != nil {
		return nil, err
	}
	c.setSignIn(authenticator, owner.Brand)
	files, err := media.Open(filepath.Join(c.Data.Data, "media"), c.MediaURL, c.network)
	if err != nil {
		return nil, fmt.Errorf("SIMORA_MEDIA_URL: %w", err)
	}
	limits, err := guard.SharedLimits(float64(c.LimitFactor), s, time.Now)
	if err != nil {
		return nil, err
	}
	srv := &server{store: s, postman: postman, drain: time.Duration(c.DrainDelay), answers: health.Cached(s.Ping, time.Second, pingTime, time.Now)}
	wellbeing := c.health(srv, watch, files, model, log)
	if err := watch.metrics.Health(wellbeing.Report); err != nil {
		return nil, err
	}
	surface := api.Handler(api.Options{Keys: keys, Origins: wire.Origins(c.AllowedOrigins), Limiter: metrics.Limiter{Metrics: watch.metrics, Next: limits}, Log: log, Identify: authenticator.Identify},
		api.Table(accounts.Accounts{Auth: authenticator, LoginPage: string(c.PublicURL) + "/admin/login", Log: log}, functions.Functions{Sessions: sessions, Contact: messages, Console: desk, Integrations: integrations, Health: wellbeing, Rights: rights, Claims: c.claims(s, trail, wellbeing, log)}, tables.Tables{Store: s, Now: time.Now, NewID: uuid.NewString}, objects.Objects{Media: files, Audit: s.Audit}))
	publicConfig, err := json.Marshal(map[string]string{"brand": owner.Brand, "publicKey": keys[0], "contactEmail": owner.ContactEmail})
	if err != nil {
		return nil, err
	}
	pages, err := site.New(site.Options{
		Dist: web.Dist(), Config: publicConfig, Owner: owner, PublicURL: string(c.PublicURL), RetentionDays: c.Retention.Days(), Log: log, Now: time.Now,
	})
	if err != nil {
		return nil, err
	}
	srv.jobs = append(watch.jobs, watch.over(postman.Run), deliveries.Run, c.retention(s, files, log).Run, trail.Run, clearCounts(s, log), wellbeing.Run)
	mux := http.NewServeMux()
	for _, service := range wire.Services {
		mux.Handle(service.Prefix, compressed(surface))
	}
	mux.HandleFunc("/livez", live)
	mux.HandleFunc("/readyz", srv.readyz)
	mux.Handle("/", pages)
	srv.handler = watch.steps.Handler(guard.Wall(guard.Options{
		Proxies: c.TrustedProxies, HTTPS: c.PublicURL.HTTPS(), Host: c.host, Log: log, NewID: uuid.NewString, Now: time.Now, Answered: watch.answered,
	}, srv.partingWays(mux)))
	return srv, nil
}

// engines are the built-in ones, behind a language model when there is one; and
// what the console may know about that.
func (c serveCommand) engines(packages []*scenario.Package, s *store.Store, log *slog.Logger) (session.Partner, session.Judge, func() sim.ModelStatus, error) {
	partner, err := engine.New(packages)
	if err != nil {
		return nil, nil, nil, err
	}
	judge := score.New(partner)
	if !c.Connected() {
		return partner, judge, nil, nil
	}
	model, err := llm.New(llm.Options{
		BaseURL: string(c.LLMBaseURL), APIKey: c.LLMAPIKey, Model: c.LLMModel, Books: s, Log: log, Now: time.Now, Concurrency: int(c.LLMConcurrency), Network: c.network,
		Budget: llm.Budget{CallsPerSession: int(c.LLMCallsPerSession), CallsPerAddress: int(c.LLMCallsPerAddress), CallsPerDay: int(c.LLMCallsPerDay), TokensPerDay: int(c.LLMTokensPerDay)},
	})
	if err != nil {
		return nil, nil, nil, fmt.Errorf("language model (SIMORA_LLM_BASE_URL): %w", err)
	}
	return model.Partner(partner), model.Judge(judge), model.Status, nil
}

func seedScenarios(ctx context.Context, s *store.Store, packages []*scenario.Package) error {
	for _, p := range packages {
		sc := p.Scenario()
		sc.ID = uuid.NewString()
		sc.CreatedAt = time.Now()
		sc.UpdatedAt = sc.CreatedAt
		if err := s.SeedScenario(ctx, sc); err != nil {
			return err
		}
	}
	return nil
}

// publicKeys are the configured ones, or one that is made once and kept.
func (c serveCommand) publicKeys(ctx context.Context, s *store.Store) ([]string, error) {
	if len(c.PublicKey) > 0 {
		return c.PublicKey, nil
	}
	key, err := s.Setting(ctx, "public_key", "sb_publishable_"+rand.Text())
	if err != nil {
		return nil, fmt.Errorf("public key: %w", err)
	}
	return []string{key}, nil
}

func newSeed() uint64 {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails
	return binary.LittleEndian.Uint64(b[:])
}

// run serves until ctx ends.
func (s *server) run(ctx context.Context, log *slog.Logger, listener net.Listener) error {
	h := newHTTPServer(s.handler, log)
	arriving := &arrivals{}
	arriving.watch(h)
	working, stopJobs := context.WithCancel(context.WithoutCancel(ctx))
	var wg sync.WaitGroup
	for _, job := range s.jobs {
		wg.Go(func() { job(working) })
	}
	served := make(chan error, 1)
	go func() { served <- h.Serve(listener) }()
	s.begin(ctx, log)

	var err error
	select {
	case err = <-served:
	case <-ctx.Done():
		s.leave(working, log)
		err = listener.Close()
		if ended := <-served; !errors.Is(ended, net.ErrClosed) {
			err = errors.Join(err, ended)
		}
		arriving.wait(arriveTime)
		drain, cancel := context.WithTimeout(working, drainTime)
		err = errors.Join(err, h.Shutdown(drain))
		cancel()
	}
	stopJobs()
	wg.Wait()
	if errors.Is(err, http.ErrServerClosed) {
		err = nil
	}
	return err
}

// compressed leaves event streams alone: they are read while they are written.
func compressed(h http.Handler) http.Handler {
	zipped := gzhttp.GzipHandler(h)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if wire.WantsEvents(r) {
			h.ServeHTTP(w, r)
			return
		}
		zipped.ServeHTTP(w, r)
	})
}

func live(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("ok\n")) }

// serves is true while the server takes requests and its database answers.
func (s *server) serves(ctx context.Context) bool {
	return s.ready.Load() && s.answers(ctx) == nil
}

func (s *server) readyz(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "no-store")
	if !s.serves(r.Context()) {
		w.Header().Set("Retry-After", "1")
		w.WriteHeader(http.StatusServiceUnavailable)
		_, _ = w.Write([]byte("not ready\n"))
		return
	}
	live(w, r)
}
