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
	"simora/server/config"
	"simora/server/console"
	"simora/server/contact"
	"simora/server/engine"
	"simora/server/geo"
	"simora/server/guard"
	"simora/server/jobs"
	"simora/server/keyring"
	"simora/server/llm"
	"simora/server/mail"
	"simora/server/media"
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
	requestTime = 30 * time.Second
	answerTime  = 60 * time.Second
	idleTime    = 2 * time.Minute
	drainTime   = 30 * time.Second
	headerBytes = 32 << 10
)

func accountsOf(s *store.Store) auth.Accounts { return auth.Accounts{Store: s, Now: time.Now} }

func openStore(ctx context.Context, d config.Data, log *slog.Logger, exclusive bool) (*store.Store, error) {
	keys, err := openKeys(d)
	if err != nil {
		return nil, err
	}
	return store.Open(ctx, store.Options{URL: d.DatabaseURL, Dir: d.Data, Keyring: keys, Log: log, Exclusive: exclusive})
}

func openKeys(d config.Data) (*keyring.Keyring, error) {
	if err := os.MkdirAll(d.Data, 0o700); err != nil {
		return nil, fmt.Errorf("data directory (SIMORA_DATA): %w", err)
	}
	return keyring.Load(filepath.Join(d.Data, keyring.FileName))
}

type serveCommand struct {
	config.Serve

	host string // the configured public address's; empty: any name is served
}

// server is the product, put together.
type server struct {
	store   *store.Store
	postman *mail.Postman
	jobs    []func(context.Context)
	handler http.Handler
	ready   atomic.Bool
}

// Run serves until ctx ends, then finishes what is in flight.
func (c serveCommand) Run(ctx context.Context, p Process) (err error) {
	log := p.logger()
	for _, name := range config.UnknownVariables(p.Environment) {
		log.WarnContext(ctx, "unknown setting in the environment, ignored", "name", name)
	}
	s, err := openStore(ctx, c.Data, log, true)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", string(c.Listen))
	if err != nil {
		return fmt.Errorf("listen on %s (SIMORA_LISTEN): %w", c.Listen, err)
	}
	c.host = c.PublicURL.Host()
	if c.PublicURL == "" {
		c.PublicURL = config.PublicURL(c.Listen.URL(listener.Addr()))
	}
	srv, err := c.build(ctx, log, s)
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	if err := c.welcome(ctx, p, s, listener.Addr()); err != nil {
		return errors.Join(err, listener.Close())
	}
	return srv.run(ctx, log, listener)
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
	p.say("Simora is ready:  %s\nIts data lies in: %s\n", c.Listen.URL(bound), data)
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
	partner, judge, model, err := c.engines(packages, log)
	if err != nil {
		return nil, err
	}
	sender, err := mail.NewSender(c.SMTPURL, filepath.Join(c.Data.Data, "outbox"), string(c.MailFrom))
	if err != nil {
		return nil, fmt.Errorf("SIMORA_SMTP_URL: %w", err)
	}
	postman := mail.NewPostman(s, sender, time.Now, log)
	keys, err := c.publicKeys(ctx, s)
	if err != nil {
		return nil, err
	}
	letters := mail.Letters{Brand: owner.Brand, PublicURL: string(c.PublicURL), RetentionDays: c.Retention.Days(), OwnWords: c.ReportWords}
	places, err := geo.Open(c.GeoIPDB)
	if err != nil {
		return nil, fmt.Errorf("SIMORA_GEOIP_DB: %w", err)
	}
	sessions := &session.Sessions{
		Store: s, Partner: partner, Judge: judge, Mail: postman, Log: log, Now: time.Now, NewID: uuid.NewString, NewSeed: newSeed,
		Letters: letters, Locate: places.Locate,
	}
	contactTo := string(c.ContactTo)
	if contactTo == "" {
		contactTo = owner.ContactEmail
	}
	messages := &contact.Messages{Store: s, Mail: postman, Letters: letters, To: contactTo, Log: log, Now: time.Now, NewID: uuid.NewString}
	rights, err := rightsOf(ctx, c.Data, s, postman, letters, log)
	if err != nil {
		return nil, err
	}
	if err := rights.EraseAgain(ctx, max(time.Duration(c.Retention), time.Duration(c.ContactRetention))); err != nil {
		return nil, err
	}
	desk := &console.Console{Store: s, Partner: partner, Judge: judge, Model: model, Now: time.Now, NewID: uuid.NewString}
	authenticator, err := auth.NewAuthenticator(s, string(c.PublicURL), time.Now)
	if err != nil {
		return nil, err
	}
	files, err := media.Open(filepath.Join(c.Data.Data, "media"), c.MediaURL)
	if err != nil {
		return nil, fmt.Errorf("SIMORA_MEDIA_URL: %w", err)
	}
	surface := api.Handler(api.Options{Keys: keys, Origins: wire.Origins(c.AllowedOrigins), Limiter: guard.NewLimits(float64(c.LimitFactor)), Log: log, Identify: authenticator.Identify},
		api.Table(accounts.Accounts{Auth: authenticator}, functions.Functions{Sessions: sessions, Contact: messages, Console: desk, Rights: rights}, tables.Tables{Store: s, Now: time.Now, NewID: uuid.NewString}, objects.Objects{Media: files}))
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
	srv := &server{store: s, postman: postman}
	retention := jobs.Retention{Store: s, Media: files, Sessions: time.Duration(c.Retention), Contact: time.Duration(c.ContactRetention), Now: time.Now, Log: log}
	srv.jobs = []func(context.Context){postman.Run, retention.Run}
	mux := http.NewServeMux()
	for _, service := range wire.Services {
		mux.Handle(service.Prefix, compressed(surface))
	}
	mux.HandleFunc("/livez", live)
	mux.HandleFunc("/readyz", srv.readyz)
	mux.Handle("/", pages)
	srv.handler = guard.Wall(guard.Options{Proxies: c.TrustedProxies, HTTPS: c.PublicURL.HTTPS(), Host: c.host, Log: log, NewID: uuid.NewString, Now: time.Now}, mux)
	return srv, nil
}

// engines are the built-in ones, behind a language model when there is one; and
// what the console may know about that.
func (c serveCommand) engines(packages []*scenario.Package, log *slog.Logger) (session.Partner, session.Judge, func() sim.ModelStatus, error) {
	partner, err := engine.New(packages)
	if err != nil {
		return nil, nil, nil, err
	}
	judge := score.New(partner)
	if !c.Connected() {
		return partner, judge, nil, nil
	}
	model, err := llm.New(llm.Options{
		BaseURL: string(c.LLMBaseURL), APIKey: c.LLMAPIKey, Model: c.LLMModel, Log: log, Now: time.Now, Concurrency: int(c.LLMConcurrency),
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
	h := &http.Server{
		Handler: s.handler, ReadHeaderTimeout: headerTime, ReadTimeout: requestTime, WriteTimeout: answerTime, IdleTimeout: idleTime,
		MaxHeaderBytes: headerBytes, ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelWarn),
	}
	working, stopJobs := context.WithCancel(context.WithoutCancel(ctx))
	var wg sync.WaitGroup
	for _, job := range s.jobs {
		wg.Go(func() { job(working) })
	}
	served := make(chan error, 1)
	go func() { served <- h.Serve(listener) }()
	s.ready.Store(true)

	var err error
	select {
	case err = <-served:
	case <-ctx.Done():
		s.ready.Store(false)
		log.InfoContext(ctx, "stopping: finishing what is in flight")
		drain, cancel := context.WithTimeout(working, drainTime)
		err = h.Shutdown(drain)
		cancel()
		if ended := <-served; !errors.Is(ended, http.ErrServerClosed) {
			err = errors.Join(err, ended)
		}
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

// readyz is true while the server takes requests and its database answers.
func (s *server) readyz(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "no-store")
	ctx, cancel := context.WithTimeout(r.Context(), 2*time.Second)
	defer cancel()
	if !s.ready.Load() || s.store.Ping(ctx) != nil {
		w.WriteHeader(http.StatusServiceUnavailable)
		_, _ = w.Write([]byte("not ready\n"))
		return
	}
	live(w, r)
}
