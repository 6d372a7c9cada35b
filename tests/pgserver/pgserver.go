// Package pgserver runs a real PostgreSQL for tests: one server per test
// process on a Unix socket, a new database for each test.
package pgserver

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // the "pgx" driver
)

// Server is a running PostgreSQL.
type Server struct {
	bin, dir string
	port     string // as a URL's parameter; empty: the usual one
	settings []string
	process  *exec.Cmd
	count    atomic.Int64
}

var shared struct {
	once   sync.Once
	server *Server
	err    error
}

// Main runs the tests of a package and stops the server after them. Call it
// from TestMain when the package's tests use Database.
func Main(m *testing.M) {
	code := m.Run()
	if shared.server != nil {
		shared.server.Stop()
	}
	os.Exit(code)
}

// Database returns the URL of a new, empty database. In -short runs the test
// is skipped; otherwise a machine without PostgreSQL fails it.
func Database(t testing.TB) string {
	t.Helper()
	if testing.Short() {
		t.Skip("PostgreSQL is left out of the short run")
	}
	shared.once.Do(func() { shared.server, shared.err = Start() })
	if shared.err != nil {
		t.Fatalf("PostgreSQL for the tests: %v", shared.err)
	}
	url, err := shared.server.NewDatabase()
	if err != nil {
		t.Fatalf("PostgreSQL for the tests: %v", err)
	}
	return url
}

// Start finds PostgreSQL's programs, makes a cluster in a new directory and
// starts it with its durability settings untouched. Settings are name=value.
func Start(settings ...string) (*Server, error) {
	return start("", func(string) ([]string, error) { return settings, nil })
}

// start adds settings for a cluster in dir; port is what they say of it.
func start(port string, settings func(dir string) ([]string, error)) (*Server, error) {
	bin, err := programs()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "pg")
	if err != nil {
		return nil, err
	}
	s := &Server{bin: bin, dir: dir, port: port}
	if s.settings, err = settings(dir); err == nil {
		err = s.run()
	}
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	return s, nil
}

func programs() (string, error) {
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if err != nil {
		return "", err
	}
	if len(found) > 0 {
		sort.Strings(found)
		return filepath.Dir(found[len(found)-1]), nil
	}
	if path, err := exec.LookPath("initdb"); err == nil {
		return filepath.Dir(path), nil
	}
	return "", errors.New("no initdb found: install the package postgresql (make setup does)")
}

func (s *Server) run() error {
	attr, err := s.notRoot()
	if err != nil {
		return err
	}
	data := filepath.Join(s.dir, "data")
	var out bytes.Buffer
	init := exec.Command(filepath.Join(s.bin, "initdb"), "-D", data, "-A", "trust", "-U", "app", "--no-sync", "-E", "UTF8", "--locale=C")
	init.SysProcAttr, init.Stdout, init.Stderr, init.Dir = attr, &out, &out, s.dir
	if err := init.Run(); err != nil {
		return fmt.Errorf("initdb: %w\n%s", err, out.String())
	}
	return s.serve(attr)
}

// serve starts the cluster that lies in the directory.
func (s *Server) serve(attr *syscall.SysProcAttr) error {
	log, err := os.Create(filepath.Join(s.dir, "log"))
	if err != nil {
		return err
	}
	args := []string{"-D", filepath.Join(s.dir, "data"), "-k", s.dir}
	for _, setting := range append([]string{"listen_addresses=", "max_connections=200"}, s.settings...) {
		args = append(args, "-c", setting)
	}
	s.process = exec.Command(filepath.Join(s.bin, "postgres"), args...)
	s.process.SysProcAttr, s.process.Stdout, s.process.Stderr, s.process.Dir = attr, log, log, s.dir
	if err := s.process.Start(); err != nil {
		return fmt.Errorf("start postgres: %w", err)
	}
	return s.wait()
}

// notRoot makes the cluster belong to the user postgres when the tests run as
// root, which PostgreSQL refuses.
func (s *Server) notRoot() (*syscall.SysProcAttr, error) {
	attr := &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if os.Geteuid() != 0 {
		return attr, nil
	}
	uid, gid, err := postgres()
	if err != nil {
		return nil, err
	}
	attr.Credential = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
	return attr, own(s.dir)
}

// own gives a file to the user postgres when the tests run as root.
func own(path string) error {
	if os.Geteuid() != 0 {
		return nil
	}
	uid, gid, err := postgres()
	if err != nil {
		return err
	}
	return os.Chown(path, uid, gid)
}

func postgres() (uid, gid int, err error) {
	u, err := user.Lookup("postgres")
	if err != nil {
		return 0, 0, fmt.Errorf("as root, PostgreSQL needs the system user postgres: %w", err)
	}
	uid, err1 := strconv.Atoi(u.Uid)
	gid, err2 := strconv.Atoi(u.Gid)
	return uid, gid, errors.Join(err1, err2)
}

func (s *Server) wait() error {
	db, err := sql.Open("pgx", s.url("postgres"))
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		if err = db.PingContext(ctx); err == nil {
			return nil
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			log, _ := os.ReadFile(filepath.Join(s.dir, "log"))
			return fmt.Errorf("postgres does not answer: %w\n%s", err, log)
		}
	}
}

func (s *Server) url(database string) string {
	return "postgres://app@/" + database + "?host=" + s.dir + s.port
}

// NewDatabase returns the URL of a new, empty database.
func (s *Server) NewDatabase() (string, error) {
	db, err := sql.Open("pgx", s.url("postgres"))
	if err != nil {
		return "", err
	}
	defer func() { _ = db.Close() }()
	name := fmt.Sprintf("test%d", s.count.Add(1))
	if _, err := db.Exec("CREATE DATABASE " + name); err != nil {
		return "", err
	}
	return s.url(name), nil
}

// Kill ends the server at once, without a checkpoint; Restart brings it back.
func (s *Server) Kill() {
	_ = s.process.Process.Signal(syscall.SIGQUIT)
	_ = s.process.Wait()
}

// Replica starts a streaming replica of the server.
func (s *Server) Replica() (*Server, error) {
	dir, err := os.MkdirTemp("", "pg")
	if err != nil {
		return nil, err
	}
	r := &Server{bin: s.bin, dir: dir, settings: s.settings}
	attr, err := r.notRoot()
	if err != nil {
		return nil, err
	}
	copying := exec.Command(filepath.Join(s.bin, "pg_basebackup"), "-h", s.dir, "-U", "app", "-D", filepath.Join(dir, "data"), "-R", "-X", "stream", "-c", "fast")
	copying.SysProcAttr, copying.Dir = attr, dir
	if out, err := copying.CombinedOutput(); err != nil {
		return nil, errors.Join(fmt.Errorf("pg_basebackup: %w\n%s", err, out), os.RemoveAll(dir))
	}
	return r, r.serve(attr)
}

// Here is the address on this server of a database of another one.
func (s *Server) Here(url string) string {
	before, _, _ := strings.Cut(url, "?host=")
	return before + "?host=" + s.dir
}

// Pause stops every process of the server as they are, as a machine that hangs;
// Resume lets them go on.
func (s *Server) Pause() error { return s.signal(syscall.SIGSTOP) }

// Resume ends Pause.
func (s *Server) Resume() error { return s.signal(syscall.SIGCONT) }

// signal reaches the postmaster first, so that it starts no child meanwhile.
func (s *Server) signal(sig syscall.Signal) error {
	postmaster := s.process.Process.Pid
	if err := syscall.Kill(postmaster, sig); err != nil {
		return err
	}
	children, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", postmaster, postmaster))
	if err != nil {
		return err
	}
	for _, child := range strings.Fields(string(children)) {
		pid, err := strconv.Atoi(child)
		if err != nil {
			return err
		}
		if err := syscall.Kill(pid, sig); err != nil && !errors.Is(err, syscall.ESRCH) {
			return err
		}
	}
	return nil
}

// Set changes a setting while the server runs.
func (s *Server) Set(name, value string) error {
	db, err := sql.Open("pgx", s.url("postgres")+"&default_transaction_read_only=off")
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	if _, err := db.Exec("ALTER SYSTEM SET " + name + " = " + value); err != nil {
		return err
	}
	_, err = db.Exec("SELECT pg_reload_conf()")
	return err
}

// Restart starts the cluster again after Kill.
func (s *Server) Restart() error {
	attr, err := s.notRoot()
	if err != nil {
		return err
	}
	return s.serve(attr)
}

// Stop ends the server and removes the cluster.
func (s *Server) Stop() {
	s.Kill()
	_ = os.RemoveAll(s.dir)
}
