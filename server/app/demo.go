package app

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"log/slog"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"simora/scenarios"
	"simora/server/config"
	"simora/server/contact"
	"simora/server/engine"
	"simora/server/mail"
	"simora/server/media"
	"simora/server/scenario"
	"simora/server/score"
	"simora/server/session"
	"simora/server/sim"
	"simora/server/store"
)

// demoFill plays runs with the real engine, so that the console has something
// to show. Visitors and addresses are made up (RFC 2606, RFC 5737).
type demoFill struct {
	config.Data

	Sessions int    `default:"400" help:"How many runs. Default: ${default}."`
	Days     int    `default:"60" help:"Over how many days until now. Default: ${default}."`
	Seed     uint64 `default:"1" help:"The same seed plays the same runs."`
}

// Run fills the data directory.
func (c demoFill) Run(ctx context.Context, p Process) (err error) {
	s, err := openStore(ctx, c.Data, p.logger(), false)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	packages, err := scenario.Load(scenarios.Files)
	if err != nil {
		return err
	}
	if err := seedScenarios(ctx, s, packages); err != nil {
		return err
	}
	partner, err := engine.New(packages)
	if err != nil {
		return err
	}
	judge := score.New(partner)
	d := &demo{ctx: ctx, random: rand.New(rand.NewPCG(c.Seed, 7)), packages: packages} //nolint:gosec // play, not secrets
	now := func() time.Time { return time.UnixMilli(d.clock.Load()) }
	quiet := slog.New(slog.DiscardHandler)
	postman := mail.NewPostman(s, nowhere{}, now, quiet)
	letters := mail.Letters{Brand: "Demo", PublicURL: "http://localhost"}
	d.sessions = &session.Sessions{Store: s, Partner: partner, Judge: judge, Mail: postman, Letters: letters, Log: quiet, Now: now, NewID: uuid.NewString, NewSeed: d.random.Uint64}
	d.contact = &contact.Messages{Store: s, Mail: postman, Letters: letters, To: "demo@simora.example", Log: quiet, Now: now, NewID: uuid.NewString}
	first := time.Now().AddDate(0, 0, -c.Days)
	for i := range c.Sessions {
		at := first.Add(time.Duration(float64(i) / float64(c.Sessions) * float64(time.Since(first)))).Add(-time.Duration(d.random.IntN(3600)) * time.Second)
		d.clock.Store(at.UnixMilli())
		if err := d.play(); err != nil {
			return fmt.Errorf("demo run %d: %w", i, err)
		}
	}
	if err := d.write(); err != nil {
		return err
	}
	if err := d.publish(s, filepath.Join(c.Data.Data, "media")); err != nil {
		return err
	}
	p.say("Played %d runs over %d days.\n", c.Sessions, c.Days)
	return nil
}

// nowhere takes every letter.
type nowhere struct{}

func (nowhere) Send(context.Context, store.Letter) error { return nil }

type demo struct {
	ctx      context.Context //nolint:containedctx // one command, start to end
	random   *rand.Rand
	clock    atomic.Int64
	packages []*scenario.Package
	sessions *session.Sessions
	contact  *contact.Messages
}

var agents = []string{
	"Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/19.0 Mobile Safari/604.1",
	"Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:146.0) Gecko/20100101 Firefox/146.0",
	"Mozilla/5.0 (Macintosh; Intel Mac OS X 15_2) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/143.0.0.0 Safari/537.36",
}

var people = []string{"sam.okoye", "p.lindqvist", "crew.training", "a.moreau", "j.tanaka", "r.silva", "education.lead", "m.haddad"}

var places = []string{"hospital.example", "airline.example", "university.example", "norden.example"}

func (d *demo) play() error {
	p := d.packages[d.random.IntN(len(d.packages))]
	visitor := session.Visitor{IP: fmt.Sprintf("203.0.113.%d", d.random.IntN(255)), UserAgent: pick(d.random, agents)}
	started, err := d.sessions.Start(d.ctx, visitor, session.StartInput{ScenarioSlug: p.Header.Slug})
	if err != nil {
		return err
	}
	skill := d.random.Float64()
	turns := 1 + d.random.IntN(started.MaxTurns)
	if d.random.IntN(3) > 0 {
		turns = started.MaxTurns
	}
	for range turns {
		d.pass(20 + d.random.IntN(40))
		out, err := d.sessions.Turn(d.ctx, visitor, session.TurnInput{SessionID: started.SessionID, UserMessage: d.message(p, skill)})
		if err != nil {
			return err
		}
		if out.IsComplete {
			break
		}
	}
	if turns < started.MaxTurns && d.random.IntN(2) == 0 {
		return nil // left in the middle
	}
	d.pass(10)
	if _, err := d.sessions.Complete(d.ctx, visitor, session.CompleteInput{SessionID: started.SessionID}); err != nil {
		return err
	}
	if d.random.IntN(100) < 45 {
		d.pass(15)
		to := pick(d.random, people) + fmt.Sprint(d.random.IntN(90)) + "@" + pick(d.random, places)
		return d.sessions.SendReport(d.ctx, visitor, session.ReportMailInput{SessionID: started.SessionID, UserEmail: to})
	}
	return nil
}

// message is one or two things that a learner might say, out of the package's
// own examples; a poor learner says more that leads nowhere.
func (d *demo) message(p *scenario.Package, skill float64) string {
	var said []string
	for range 1 + d.random.IntN(2) {
		if d.random.Float64() > skill*0.8+0.2 {
			said = append(said, pick(d.random, []string{"ok", "hmm, let me think", "just wait a moment", "I don't know", "that's how it is"}))
			continue
		}
		act := p.Acts[d.random.IntN(len(p.Acts))]
		if len(act.Examples) > 0 {
			said = append(said, strings.TrimRight(pick(d.random, act.Examples), "."))
		}
	}
	if len(said) == 0 {
		return "Hello"
	}
	return strings.Join(said, ". ") + "."
}

func (d *demo) pass(seconds int) { d.clock.Add(int64(seconds) * 1000) }

// write leaves a few contact messages.
func (d *demo) write() error {
	for i, text := range []string{
		"We train forty triage nurses a year and would like to see the chest pain case on our own protocol.",
		"Can the cabin scenario be played in German?",
		"What does it cost for 2,000 learners?",
	} {
		d.clock.Store(time.Now().Add(-time.Duration(3-i) * 7 * time.Hour).UnixMilli())
		organization := pick(d.random, []string{"St Example Hospital", "Example Air", "Example Sales Academy"})
		err := d.contact.Send(d.ctx, "", contact.Input{
			Name: "Demo Visitor", Email: pick(d.random, people) + "@" + pick(d.random, places), Organization: &organization,
			Reason: pick(d.random, []string{"demo", "pricing", "partnership"}), Message: text,
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// publish puts a drawn picture into each gallery.
func (d *demo) publish(s *store.Store, dir string) error {
	library, err := media.Open(dir, "", nil)
	if err != nil {
		return err
	}
	defer func() { _ = library.Close() }()
	for industry, ground := range map[sim.Industry]color.RGBA{sim.Healthcare: {0xfb, 0xe4, 0xe0, 0xff}, sim.Airlines: {0xdd, 0xe9, 0xf4, 0xff}, sim.Corporate: {0xe1, 0xee, 0xde, 0xff}} {
		for i := range 3 {
			path := fmt.Sprintf("%s/%d_demo%d.png", industry, time.Now().UnixMilli(), i)
			var b bytes.Buffer
			if err := png.Encode(&b, d.picture(ground)); err != nil {
				return fmt.Errorf("draw picture: %w", err)
			}
			if err := library.Put(d.ctx, path, &b); err != nil {
				return err
			}
			caption := fmt.Sprintf("Demo picture %d", i+1)
			err := s.AddMedia(d.ctx, store.Medium{ID: uuid.NewString(), FileName: "demo.png", FilePath: path, FileType: "image", Industry: string(industry),
				Caption: &caption, DisplayOrder: i, CreatedAt: time.Now()})
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// picture is bars on paper, like a trace.
func (d *demo) picture(ground color.RGBA) image.Image {
	const width, height, base = 800, 600, 340
	canvas := image.NewRGBA(image.Rect(0, 0, width, height))
	fill := func(r image.Rectangle, c color.RGBA) {
		for y := r.Min.Y; y < r.Max.Y; y++ {
			for x := r.Min.X; x < r.Max.X; x++ {
				canvas.SetRGBA(x, y, c)
			}
		}
	}
	fill(canvas.Bounds(), ground)
	ink, other := color.RGBA{0x0c, 0x4a, 0x52, 0xff}, color.RGBA{0x7d, 0x91, 0x8d, 0xff}
	for x := 40; x < width-40; x += 18 {
		tall := 20 + d.random.IntN(180)
		if (x/180)%2 == 0 {
			fill(image.Rect(x, base-tall, x+8, base-4), ink)
		} else {
			fill(image.Rect(x, base+4, x+8, base+tall), other)
		}
	}
	return canvas
}

func pick[T any](random *rand.Rand, from []T) T { return from[random.IntN(len(from))] }
