// Package app is the only wiring: the commands, and a server put together from
// its parts.
package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"runtime/debug"
	"strings"

	"github.com/alecthomas/kong"

	"simora/server/auth"
	"simora/server/config"
	"simora/server/guard"
	"simora/server/scenario"
	"simora/server/sim"
	"simora/server/site"
)

// Process is what a command gets of the world.
type Process struct {
	Args        []string // without the program's name
	Stdout      io.Writer
	Stderr      io.Writer
	Environment config.Environment
}

type commands struct {
	Config string `env:"SIMORA_CONFIG" placeholder:"FILE" help:"File of NAME=value settings, read before the environment's gaps are filled with defaults."`

	Serve    serveCommand `cmd:"" help:"Serve the product."`
	Admin    adminCommand `cmd:"" help:"Create somebody who can sign in, or change their password or role."`
	Audit    auditCommand `cmd:"" help:"Verify or print the audit log."`
	Scenario struct {
		Check scenarioCheck `cmd:"" help:"Check a scenario package and list every mistake with file, line and field."`
	} `cmd:"" help:"Work on scenario packages."`
	Person personCommand `cmd:"" help:"Export or erase everything that is kept about one mail address."`
	Backup backupCommand `cmd:"" help:"Back up and restore the embedded default."`
	Demo   struct {
		Fill demoFill `cmd:"" help:"Play runs with the engine, so that the console has something to show. For a look, not for production."`
	} `cmd:"" help:"Data to look at."`
	Site struct {
		Example siteExample `cmd:"" help:"Print the default site file, to be copied and edited."`
		Check   siteCheck   `cmd:"" help:"Check a site file and list every mistake."`
	} `cmd:"" help:"Work on the file with the company's name, texts and logos."`
	Keys    keysCommand    `cmd:"" help:"The keys that personal data is sealed with."`
	Outbox  outboxCommand  `cmd:"" help:"The letters that were written as files."`
	Privacy privacyCommand `cmd:"" help:"Look after personal data."`
	Mail    struct {
		Check mailCheck `cmd:"" help:"Speak with the mail server, and print the DNS records that letters need to arrive."`
	} `cmd:"" help:"Work on how letters leave."`
	Version versionCommand `cmd:"" help:"Print the version."`
}

// Main runs one command and returns the exit code: 0 done, 1 failed, 2 not
// understood.
func Main(ctx context.Context, p Process) int {
	ctx = sim.WithActor(ctx, sim.Actor{Kind: sim.ByCommand})
	if path := configFile(p); path != "" {
		if err := config.LoadFile(path, p.Environment); err != nil {
			return p.fail(err, 2)
		}
	}
	exit := -1
	var c commands
	parser, err := kong.New(&c, kong.Name("simora"), kong.Description("Training conversations with virtual humans, scored."),
		kong.Writers(p.Stdout, p.Stderr), kong.Exit(func(code int) { exit = code }), kong.UsageOnError(),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}),
		kong.BindTo(ctx, (*context.Context)(nil)), kong.Bind(p))
	if err != nil {
		return p.fail(err, 1)
	}
	command, err := parser.Parse(p.Args)
	if exit >= 0 { // --help has been answered
		return exit
	}
	if err != nil {
		return p.fail(err, 2)
	}
	if err := command.Run(); err != nil {
		return p.fail(err, 1)
	}
	return 0
}

func (p Process) fail(err error, code int) int {
	_, _ = fmt.Fprintf(p.Stderr, "simora: %v\n", err) // nowhere left to complain
	return code
}

// say prints for the person at the terminal, who may have gone.
func (p Process) say(format string, args ...any) { _, _ = fmt.Fprintf(p.Stdout, format, args...) }

// configFile finds the file before anything else is parsed, because it can set
// everything else.
func configFile(p Process) string {
	for i, arg := range p.Args {
		if path, ok := strings.CutPrefix(arg, "--config="); ok {
			return path
		}
		if arg == "--config" && i+1 < len(p.Args) {
			return p.Args[i+1]
		}
	}
	path, _ := p.Environment.Lookup(config.FileVariable)
	return path
}

func (p Process) logger() *slog.Logger {
	return slog.New(guard.LogHandler(slog.NewJSONHandler(p.Stderr, nil)))
}

type versionCommand struct{}

// Run prints the version control revision that the binary was built from.
func (versionCommand) Run(p Process) error {
	p.say("simora %s\n", version())
	return nil
}

func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	text := info.Main.Version
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && !strings.Contains(text, s.Value[:min(12, len(s.Value))]) {
			text += " " + s.Value
		}
	}
	return text + " " + info.GoVersion
}

type scenarioCheck struct {
	Dir string `arg:"" type:"existingdir" help:"Folder of one scenario package."`
}

// Run prints every mistake of the package.
func (c scenarioCheck) Run(p Process) error {
	problems := scenario.Check(c.Dir)
	for _, problem := range problems {
		p.say("%s\n", problem)
	}
	if len(problems) > 0 {
		return fmt.Errorf("%s: %d mistakes", c.Dir, len(problems))
	}
	p.say("%s: no mistakes\n", c.Dir)
	return nil
}

type siteExample struct{}

// Run prints the default file.
func (siteExample) Run(p Process) error {
	p.say("%s", site.DefaultOwnerFile)
	return nil
}

type siteCheck struct {
	File string `arg:"" type:"existingfile" help:"The file."`
}

// Run fails with every mistake of the file.
func (c siteCheck) Run(p Process) error {
	if _, err := site.LoadOwner(c.File); err != nil {
		return err
	}
	p.say("%s: no mistakes\n", c.File)
	return nil
}

type adminCommand struct {
	Create adminCreate `cmd:"" help:"Create an admin or a viewer. Without SIMORA_ADMIN_PASSWORD a password is generated and printed."`
	Reset  adminReset  `cmd:"" help:"Give somebody a new password, in the same way."`
	Role   adminRole   `cmd:"" help:"Make somebody an admin, a viewer (sees no personal data, changes nothing), or neither."`
}

// account names whom an admin command is about. The password comes from the
// environment only: a flag would be in the shell's history.
type account struct {
	config.Data

	Email string `arg:"" help:"Mail address."`
}

type (
	adminCreate struct {
		account

		Role string `enum:"admin,viewer" default:"admin" help:"admin or viewer. Default: ${default}."`
	}
	adminReset struct {
		account

		SecondFactor bool `help:"Keep the password, and remove the second factor: for a lost phone."`
	}
	adminRole struct {
		account

		Role string `arg:"" enum:"admin,viewer,none" help:"admin, viewer or none."`
	}
)

// Run creates the user.
func (c adminCreate) Run(ctx context.Context, p Process) error {
	return c.change(ctx, p, "Created", func(a auth.Accounts) (string, error) { return a.Create(ctx, c.Email, password(p), c.Role) })
}

// Run changes the role.
func (c adminRole) Run(ctx context.Context, p Process) error {
	return c.change(ctx, p, "Changed the role of", func(a auth.Accounts) (string, error) {
		return "", a.SetRole(ctx, c.Email, strings.TrimSuffix(c.Role, "none"))
	})
}

// Run replaces the password, or removes the second factor.
func (c adminReset) Run(ctx context.Context, p Process) error {
	if c.SecondFactor {
		return c.change(ctx, p, "No second factor any more for", func(a auth.Accounts) (string, error) { return "", a.RemoveSecondFactor(ctx, c.Email) })
	}
	return c.change(ctx, p, "New password for", func(a auth.Accounts) (string, error) { return a.ResetPassword(ctx, c.Email, password(p)) })
}

func password(p Process) string {
	given, _ := p.Environment.Lookup("SIMORA_ADMIN_PASSWORD")
	return given
}

func (c account) change(ctx context.Context, p Process, done string, do func(auth.Accounts) (string, error)) (err error) {
	s, err := openStore(ctx, c.Data, p.logger(), false)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	shown, err := do(accountsOf(s))
	if err != nil {
		return fmt.Errorf("admin %s: %w", c.Email, err)
	}
	p.say("%s %s\n", done, c.Email)
	if shown != "" {
		p.say("Password: %s\n(shown this once)\n", shown)
	}
	return nil
}
