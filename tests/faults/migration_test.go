package faults_test

import (
	"bufio"
	"database/sql"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"simora/tests/pgserver"
	"simora/tests/product"
)

var migrationKills = flag.Int("migration-kills", 3, "how many random moments of a migration the process is killed at")

const (
	oldSchema = 4      // the migrations that an old database has
	oldRows   = 20_000 // in a table that later ones alter and index
)

// A process that is killed while it brings an old database to the newest schema
// leaves the old one or the newest, and the next start has all.
func TestKilledInAMigration(t *testing.T) {
	if testing.Short() {
		t.Skip("kills processes for a while")
	}
	t.Run("sqlite", func(t *testing.T) {
		old := t.TempDir()
		makeOld(t, base{dir: old})
		raw, err := os.ReadFile(filepath.Join(old, "simora.db"))
		require.NoError(t, err)
		killMigrations(t, func(t *testing.T) base {
			b := base{dir: t.TempDir()}
			require.NoError(t, os.WriteFile(filepath.Join(b.dir, "simora.db"), raw, 0o600))
			return b
		})
	})
	t.Run("postgres", func(t *testing.T) {
		killMigrations(t, func(t *testing.T) base {
			b := base{dir: t.TempDir(), url: pgserver.Database(t)}
			makeOld(t, b)
			return b
		})
	})
}

// base is a database, and the data directory beside it.
type base struct{ dir, url string }

func (b base) open(t *testing.T) *sql.DB {
	t.Helper()
	driver, source := "pgx", b.url
	if b.url == "" {
		driver, source = "sqlite", "file:"+filepath.Join(b.dir, "simora.db")+"?_pragma=busy_timeout(10000)"
	}
	db, err := sql.Open(driver, source)
	require.NoError(t, err)
	t.Cleanup(func() { _ = db.Close() })
	return db
}

func makeOld(t *testing.T, b base) {
	t.Helper()
	db := b.open(t)
	defer func() { require.NoError(t, db.Close()) }()
	run := func(text string) {
		_, err := db.ExecContext(t.Context(), text)
		require.NoError(t, err)
	}
	run("CREATE TABLE schema_versions (version INTEGER PRIMARY KEY, name TEXT NOT NULL)")
	for _, file := range migrationFiles(t)[:oldSchema] {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		run(string(text))
		run(fmt.Sprintf("INSERT INTO schema_versions (version, name) VALUES (%d, '%s')", versionOf(t, file), filepath.Base(file)))
	}
	run(fmt.Sprintf(`WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < %d)
		INSERT INTO idempotency (id, request_hash, response, created_at) SELECT 'answer ' || n, CAST('x' AS BYTEA), CAST('x' AS BYTEA), %d FROM c`, oldRows, time.Now().UnixMilli()))
}

func migrationFiles(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("../../server/store/migrations/*.sql")
	require.NoError(t, err)
	require.Greater(t, len(files), oldSchema)
	return files
}

func versionOf(t *testing.T, file string) (version int) {
	t.Helper()
	_, err := fmt.Sscanf(filepath.Base(file), "%d_", &version)
	require.NoError(t, err)
	return version
}

// state is what a migration changes, in words.
func (b base) state(t *testing.T) (version int, state []string) {
	t.Helper()
	db := b.open(t)
	defer func() { require.NoError(t, db.Close()) }()
	query := `SELECT type || ' ' || name || ' ' || coalesce(sql, '') FROM sqlite_master ORDER BY 1`
	if b.url != "" {
		query = `SELECT table_name || '.' || column_name || ' ' || data_type || ' ' || is_nullable || ' ' || coalesce(column_default, '') FROM information_schema.columns WHERE table_schema = 'public'
			UNION ALL SELECT indexdef FROM pg_indexes WHERE schemaname = 'public' UNION ALL SELECT relname || relpersistence::text FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace ORDER BY 1`
	}
	rows, err := db.QueryContext(t.Context(), query)
	require.NoError(t, err)
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var line string
		require.NoError(t, rows.Scan(&line))
		state = append(state, line)
	}
	require.NoError(t, rows.Err())
	var versions, kept int
	require.NoError(t, db.QueryRowContext(t.Context(), "SELECT max(version), count(*) FROM schema_versions").Scan(&version, &versions))
	require.NoError(t, db.QueryRowContext(t.Context(), "SELECT count(*) FROM idempotency WHERE id LIKE 'answer %'").Scan(&kept))
	return version, append(state, fmt.Sprint(versions, " versions"), fmt.Sprint(kept, " rows"))
}

// launch starts a server that is not waited for. It ends when kill is called,
// and as soon as it is ready, which ended tells.
func (b base) launch(t *testing.T, under ...string) (kill func(), ended <-chan bool) {
	t.Helper()
	path, err := product.Build()
	require.NoError(t, err)
	line := append(under, path, "serve")
	command := exec.Command(line[0], line[1:]...)
	command.Env = append(os.Environ(), "SIMORA_DATA="+b.dir, "SIMORA_DATABASE_URL="+b.url, "SIMORA_LISTEN=127.0.0.1:0")
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // strace leaves what it runs alone when it is killed
	stdout, err := command.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, command.Start())
	kill = func() { _ = syscall.Kill(-command.Process.Pid, syscall.SIGKILL) }
	ready, done := make(chan bool, 1), make(chan struct{})
	go func() {
		defer close(done)
		was := false
		for lines := bufio.NewScanner(stdout); lines.Scan(); {
			if strings.Contains(lines.Text(), "is ready") {
				was = true
				kill()
			}
		}
		_ = command.Wait()
		ready <- was
	}()
	t.Cleanup(func() {
		kill()
		<-done
	})
	return kill, ready
}

func killMigrations(t *testing.T, old func(t *testing.T) base) {
	_, err := product.Build()
	require.NoError(t, err)
	undisturbed := old(t)
	_, before := undisturbed.state(t)
	began := time.Now()
	_, ended := undisturbed.launch(t)
	require.True(t, <-ended)
	took := time.Since(began)
	newest, after := undisturbed.state(t)
	files := migrationFiles(t)
	require.Equal(t, versionOf(t, files[len(files)-1]), newest)

	hit := 0
	examine := func(b base) {
		version, found := b.state(t)
		if version == oldSchema {
			hit++
			assert.Equal(t, before, found, "nothing of it")
		} else {
			assert.Equal(t, newest, version)
			assert.Equal(t, after, found, "all of it")
		}
		_, ended := b.launch(t)
		require.True(t, <-ended, "it starts")
		_, found = b.state(t)
		assert.Equal(t, after, found)
	}
	random := rand.New(rand.NewPCG(9, 9))
	for range *migrationKills {
		b := old(t)
		kill, ended := b.launch(t)
		time.AfterFunc(time.Duration(random.Int64N(int64(took))), kill) // at some random moment of the start
		<-ended
		examine(b)
	}
	inside := killedInside
	if undisturbed.url == "" {
		inside = killedAtWrites
	}
	kills := *migrationKills + inside(t, old, examine)
	t.Logf("%d kills within %v, %d of them before the end of the migration", kills, took.Round(time.Millisecond), hit)
	assert.Positive(t, hit)
}

// killedAtWrites kills at certain writes to SQLite's files.
func killedAtWrites(t *testing.T, old func(t *testing.T) base, examine func(base)) (kills int) {
	if _, err := exec.LookPath("strace"); err != nil {
		t.Log("no strace here: there are no kills at certain writes")
		return 0
	}
	for _, n := range []int{3, 40, 100} {
		b := old(t)
		_, ended := b.launch(t, "strace", "-f", "-o", filepath.Join(t.TempDir(), "trace"), "-P", filepath.Join(b.dir, "simora.db"), "-P", filepath.Join(b.dir, "simora.db-wal"),
			"-e", "trace=pwrite64,fsync,fdatasync", "-e", fmt.Sprintf("inject=pwrite64,fsync,fdatasync:signal=KILL:when=%d", n))
		<-ended
		examine(b)
		kills++
	}
	return kills
}

// killedInside kills while PostgreSQL's migration waits in its middle for a
// table that somebody reads.
func killedInside(t *testing.T, old func(t *testing.T) base, examine func(base)) (kills int) {
	b := old(t)
	db := b.open(t)
	reader, err := db.BeginTx(t.Context(), nil)
	require.NoError(t, err)
	require.NoError(t, reader.QueryRowContext(t.Context(), "SELECT count(*) FROM idempotency").Scan(new(int)))
	kill, ended := b.launch(t)
	require.Eventually(t, func() bool {
		var waiting int
		err := db.QueryRowContext(t.Context(), "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%ALTER TABLE idempotency%'").Scan(&waiting)
		return err == nil && waiting == 1
	}, time.Minute, 10*time.Millisecond)
	kill()
	<-ended
	require.NoError(t, reader.Rollback())
	examine(b)
	return 1
}
