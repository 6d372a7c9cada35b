package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"sync"
)

// batch commits the writes of concurrent callers together: one fsync serves
// all that wait for it. One goroutine owns SQLite's only write connection.
type batch struct {
	db       *sql.DB
	conn     *sql.Conn            // nil until first use and after a failure
	prepared map[string]*sql.Stmt // on conn; preparing costs as much as a small query
	full     bool                 // conn's present synchronous setting

	watch func() (done func(writes int))

	jobs     chan *job
	quit     chan struct{}
	stopOnce sync.Once
	done     chan struct{}
}

type job struct {
	durable durability
	fn      func(querier) error
	err     error
	done    chan struct{}
}

var errStopped = errors.New("the store is closed")

const maxBatch = 128

func startBatch(db *sql.DB) *batch {
	b := &batch{db: db, watch: unwatched, jobs: make(chan *job, maxBatch), quit: make(chan struct{}), done: make(chan struct{})}
	go b.loop()
	return b
}

func (b *batch) stop() {
	b.stopOnce.Do(func() { close(b.quit) })
	<-b.done
}

func (b *batch) run(ctx context.Context, d durability, fn func(querier) error) error {
	j := &job{durable: d, fn: fn, done: make(chan struct{})}
	select {
	case b.jobs <- j:
	case <-ctx.Done():
		return ctx.Err()
	case <-b.quit:
		return errStopped
	}
	select {
	case <-j.done:
		return j.err
	case <-b.done:
		select { // the loop may have served the job just before it ended
		case <-j.done:
			return j.err
		default:
			return errStopped
		}
	}
}

func (b *batch) loop() {
	defer close(b.done)
	defer b.drop()
	for {
		select {
		case first := <-b.jobs:
			b.serve(b.gather(first))
		case <-b.quit:
			return
		}
	}
}

func (b *batch) gather(first *job) []*job {
	jobs := []*job{first}
	for len(jobs) < maxBatch {
		select {
		case j := <-b.jobs:
			jobs = append(jobs, j)
		default:
			return jobs
		}
	}
	return jobs
}

// serve answers all jobs after their common commit.
func (b *batch) serve(jobs []*job) {
	done := b.watch()
	err := b.commit(jobs)
	done(len(jobs))
	if err != nil && errors.Is(err, driver.ErrBadConn) {
		b.drop()
	}
	for _, j := range jobs {
		if err != nil && j.err == nil {
			j.err = err
		}
		close(j.done)
	}
}

// commit runs each job in a savepoint of one transaction, so that a job that
// fails takes only its own work back. An error means that all work is lost.
func (b *batch) commit(jobs []*job) error {
	if err := b.connect(); err != nil {
		return err
	}
	if err := b.setSync(jobs); err != nil {
		return err
	}
	if err := b.exec("BEGIN IMMEDIATE"); err != nil {
		return err
	}
	for _, j := range jobs {
		if err := b.runJob(j, len(jobs) == 1); err != nil {
			_ = b.exec("ROLLBACK") // SQLite may have done so already
			return err
		}
	}
	if err := b.exec("COMMIT"); err != nil {
		_ = b.exec("ROLLBACK")
		return err
	}
	return nil
}

func (b *batch) runJob(j *job, alone bool) error {
	if alone {
		j.err = call(j.fn, b)
		return j.err
	}
	if err := b.exec("SAVEPOINT job"); err != nil {
		return err
	}
	if j.err = call(j.fn, b); j.err != nil {
		if err := b.exec("ROLLBACK TO job"); err != nil {
			return err
		}
	}
	return b.exec("RELEASE job")
}

// call turns a panic into that job's error: the writer must live.
func call(fn func(querier) error, q querier) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic in a write: %v", r)
		}
	}()
	return fn(q)
}

// setSync lets a batch of soft writes skip its fsync. SQLite takes the setting
// only outside a transaction; the next FULL commit makes all before it last.
func (b *batch) setSync(jobs []*job) error {
	full := false
	for _, j := range jobs {
		full = full || bool(j.durable)
	}
	if full == b.full {
		return nil
	}
	level := "NORMAL"
	if full {
		level = "FULL"
	}
	if err := b.exec("PRAGMA synchronous = " + level); err != nil {
		return err
	}
	b.full = full
	return nil
}

func (b *batch) connect() error {
	if b.conn != nil {
		return nil
	}
	conn, err := b.db.Conn(context.Background())
	if err != nil {
		return err
	}
	b.conn, b.prepared, b.full = conn, map[string]*sql.Stmt{}, true // FULL is in the connection string
	return nil
}

func (b *batch) drop() {
	if b.conn == nil {
		return
	}
	for _, stmt := range b.prepared {
		_ = stmt.Close()
	}
	_ = b.conn.Close()
	b.conn = nil
}

func (b *batch) exec(text string) error {
	_, err := b.ExecContext(context.Background(), text)
	return err
}

func (b *batch) ExecContext(ctx context.Context, text string, args ...any) (sql.Result, error) {
	stmt, err := b.prepare(ctx, text)
	if err != nil {
		return nil, err
	}
	return stmt.ExecContext(ctx, args...)
}

func (b *batch) QueryContext(ctx context.Context, text string, args ...any) (*sql.Rows, error) {
	stmt, err := b.prepare(ctx, text)
	if err != nil {
		return nil, err
	}
	return stmt.QueryContext(ctx, args...)
}

func (b *batch) prepare(ctx context.Context, text string) (*sql.Stmt, error) {
	if stmt, ok := b.prepared[text]; ok {
		return stmt, nil
	}
	stmt, err := b.conn.PrepareContext(ctx, text)
	if err != nil {
		return nil, err
	}
	b.prepared[text] = stmt
	return stmt, nil
}
