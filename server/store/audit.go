package store

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"database/sql"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strings"
	"time"

	"simora/server/sim"
)

// auditRow is an entry as it is stored.
type auditRow struct {
	seq, at                             int64
	kind, actor, action, object, result string
	detail, detailHash, prev, hash      []byte
}

const auditColumns = "seq, at, actor_kind, actor_id, action, object, result, detail, detail_hash, prev_hash, hash"

func scanAuditRow(scan func(...any) error) (r auditRow, err error) {
	err = scan(&r.seq, &r.at, &r.kind, &r.actor, &r.action, &r.object, &r.result, &r.detail, &r.detailHash, &r.prev, &r.hash)
	return r, err
}

// auditKey signs the log. It comes from the keyring: who can write to the
// database can't sign.
type auditKey []byte

func (s *Store) auditKey() (auditKey, error) { return s.Derive("audit log", "1") }

// sign is an HMAC over the parts, each with its length before it.
func (k auditKey) sign(what string, parts ...[]byte) []byte {
	mac := hmac.New(sha256.New, k)
	for _, part := range append([][]byte{[]byte(what)}, parts...) {
		var n [8]byte
		binary.BigEndian.PutUint64(n[:], uint64(len(part)))
		mac.Write(n[:])
		mac.Write(part)
	}
	return mac.Sum(nil)
}

// row signs everything but the detail, which may be erased, and the hash
// itself.
func (k auditKey) row(r auditRow, seq int64) []byte {
	return k.sign("entry", number(seq), number(r.at), []byte(r.kind), []byte(r.actor), []byte(r.action), []byte(r.object), []byte(r.result), r.detailHash, r.prev)
}

// erased is what stands in the place of an erased detail: only the key's holder
// can make it.
func (k auditKey) erased(seq int64) []byte { return k.sign("erased", number(seq)) }

// cut signs where the log begins after retention.
func (k auditKey) cut(seq int64, hash []byte) []byte { return k.sign("cut", number(seq), hash) }

func number(n int64) []byte { return binary.BigEndian.AppendUint64(nil, uint64(n)) } //nolint:gosec // the bits, whatever their sign

// Audit writes events to the audit log; it returns when they are durable.
func (s *Store) Audit(ctx context.Context, events ...sim.Event) error {
	return s.inTx(ctx, durable, "write audit log", func(tx *Tx) error { return tx.audit(events...) })
}

// audit writes events in the transaction of the change that they tell of. Call
// it last: from here to the commit nobody else can write to the log.
func (t *Tx) audit(events ...sim.Event) error {
	key, err := t.s.auditKey()
	if err != nil {
		return err
	}
	for _, e := range events {
		if err := t.auditOne(key, e); err != nil {
			return fmt.Errorf("audit %s: %w", e.Action, err)
		}
	}
	return nil
}

func (t *Tx) auditOne(key auditKey, e sim.Event) error {
	if !e.Action.Known() {
		return errors.New("not in the catalogue of actions (package sim)")
	}
	r := auditRow{at: millis(t.s.now()), kind: string(t.actor.Kind), actor: t.actor.ID, action: string(e.Action), object: sim.Cut(e.Object, maxObject), result: string(e.Result)}
	if r.result == "" {
		r.result = string(sim.Done)
	}
	// This locks the head until the commit.
	err := t.row("UPDATE audit_head SET seq = seq + 1 WHERE id = 1 RETURNING seq, hash").Scan(&r.seq, &r.prev)
	if errors.Is(err, sql.ErrNoRows) {
		return errors.New("the log's head is missing: the database was tampered with; run simora audit verify")
	}
	if err != nil {
		return err
	}
	if err := t.sealDetail(&r, e); err != nil {
		return err
	}
	var person []byte
	if e.Person != "" {
		if person, err = emailIndex(t.s, strings.ToLower(e.Person)); err != nil {
			return err
		}
	}
	r.hash = key.row(r, r.seq)
	_, err = t.exec("INSERT INTO audit_log ("+auditColumns+", person_index) VALUES ($1,$2,$3,$4,$5,$6,$7,$8,$9,$10,$11,$12)",
		r.seq, r.at, r.kind, r.actor, r.action, r.object, r.result, r.detail, r.detailHash, r.prev, r.hash, person)
	if err != nil {
		return err
	}
	_, err = t.exec("UPDATE audit_head SET hash = $1 WHERE id = 1", r.hash)
	return err
}

const maxObject = 300 // bytes

const auditAddress = "address" // the actor's, among the details

func (t *Tx) sealDetail(r *auditRow, e sim.Event) (err error) {
	detail := maps.Clone(e.Detail)
	if detail == nil {
		detail = map[string]string{}
	}
	if t.actor.Address != "" {
		detail[auditAddress] = t.actor.Address
	}
	r.detail, err = t.s.sealJSONFor(forAudit(fromMillis(r.at)), "audit_log", "detail", fmt.Sprint(r.seq), detail)
	hash := sha256.Sum256(r.detail)
	r.detailHash = hash[:]
	return err
}

// eraseAudit takes the details away that are about a person and not later than
// until. Who acted on what and when stays, and so does the chain.
func (t *Tx) eraseAudit(person []byte, until time.Time) (n int64, err error) {
	key, err := t.s.auditKey()
	if err != nil {
		return 0, err
	}
	rows, err := t.query("SELECT seq FROM audit_log WHERE person_index = $1 AND at <= $2", person, millis(until))
	if err != nil {
		return 0, err
	}
	var found []int64
	for rows.Next() {
		var seq int64
		if err := rows.Scan(&seq); err != nil {
			return 0, errors.Join(err, rows.Close())
		}
		found = append(found, seq)
	}
	if err := errors.Join(rows.Err(), rows.Close()); err != nil {
		return 0, err
	}
	for _, seq := range found {
		if _, err := t.exec("UPDATE audit_log SET detail = $2, person_index = NULL WHERE seq = $1", seq, key.erased(seq)); err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}

// AuditFilter chooses entries; zero values choose all.
type AuditFilter struct {
	Action   sim.Action
	Actor    string // a user's id, or a kind of actor
	From, To time.Time
	Before   int64 // only entries with a smaller number
	Limit    int
}

// AuditEntries lists entries, the newest first.
func (s *Store) AuditEntries(ctx context.Context, f AuditFilter) ([]sim.Entry, error) {
	list, err := s.auditEntries(ctx, f)
	if err != nil {
		return nil, err
	}
	return list, s.nameActors(ctx, list)
}

func (s *Store) auditEntries(ctx context.Context, f AuditFilter) (list []sim.Entry, err error) {
	key, err := s.auditKey()
	if err != nil {
		return nil, err
	}
	where, args := "", []any{}
	add := func(part string, arg any) {
		args = append(args, arg)
		where += strings.ReplaceAll(" AND "+part, "?", fmt.Sprintf("$%d", len(args)))
	}
	if f.Action != "" {
		add("action = ?", string(f.Action))
	}
	if f.Actor != "" {
		add("(actor_id = ? OR actor_kind = ?)", f.Actor)
	}
	if !f.From.IsZero() {
		add("at >= ?", millis(f.From))
	}
	if !f.To.IsZero() {
		add("at < ?", millis(f.To))
	}
	if f.Before > 0 {
		add("seq < ?", f.Before)
	}
	args = append(args, f.Limit)
	rows, err := s.queryOnce(ctx, "SELECT "+auditColumns+" FROM audit_log WHERE 1 = 1"+where+fmt.Sprintf(" ORDER BY seq DESC LIMIT $%d", len(args)), args...)
	if err != nil {
		return nil, unavailable(fmt.Errorf("list audit log: %w", err))
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	list = []sim.Entry{}
	for rows.Next() {
		r, err := scanAuditRow(rows.Scan)
		if err != nil {
			return nil, fmt.Errorf("list audit log: %w", err)
		}
		e, err := s.entryOf(key, r)
		if err != nil {
			return nil, err
		}
		list = append(list, e)
	}
	if err := rows.Err(); err != nil {
		return nil, unavailable(fmt.Errorf("list audit log: %w", err))
	}
	return list, nil
}

func (s *Store) entryOf(key auditKey, r auditRow) (sim.Entry, error) {
	e := sim.Entry{
		Seq: r.seq, At: fromMillis(r.at), Actor: sim.Actor{Kind: sim.ActorKind(r.kind), ID: r.actor},
		Event: sim.Event{Action: sim.Action(r.action), Object: r.object, Result: sim.Result(r.result)},
	}
	if e.Erased = hmac.Equal(r.detail, key.erased(r.seq)); e.Erased {
		return e, nil
	}
	plain, err := s.open("audit_log", "detail", fmt.Sprint(r.seq), r.detail)
	if err != nil { // tampered with; the rest of the log is still worth reading
		e.Detail = map[string]string{"unreadable": "the detail is not the one that was written here"}
		return e, nil //nolint:nilerr // said in the entry
	}
	if err := json.Unmarshal(plain, &e.Detail); err != nil {
		return e, fmt.Errorf("decode audit detail %d: %w", r.seq, err)
	}
	e.Actor.Address = e.Detail[auditAddress]
	delete(e.Detail, auditAddress)
	return e, nil
}

// nameActors adds the addresses of users who still exist.
func (s *Store) nameActors(ctx context.Context, list []sim.Entry) error {
	names := map[string]string{}
	for i, e := range list {
		if e.Actor.ID == "" {
			continue
		}
		name, known := names[e.Actor.ID]
		if !known {
			var err error
			if name, err = s.emailOf(ctx, e.Actor.ID); err != nil {
				return err
			}
			names[e.Actor.ID] = name
		}
		list[i].Email = name
	}
	return nil
}

// emailOf is empty for a user who does not exist any more.
func (s *Store) emailOf(ctx context.Context, userID string) (string, error) {
	var email []byte
	err := s.row(ctx, "SELECT email FROM users WHERE id = $1", userID).Scan(&email)
	if errors.Is(err, sql.ErrNoRows) {
		return "", nil
	}
	if err != nil {
		return "", unavailable(fmt.Errorf("read user: %w", err))
	}
	plain, err := s.open("users", "email", userID, email)
	return string(plain), err
}

// AuditHead is how far the log goes.
type AuditHead struct {
	Seq  int64
	Hash []byte
}

// AuditHead returns the log's end, to be kept outside of the database.
func (s *Store) AuditHead(ctx context.Context) (h AuditHead, err error) {
	err = s.row(ctx, "SELECT seq, hash FROM audit_head WHERE id = 1").Scan(&h.Seq, &h.Hash)
	if err != nil {
		return h, unavailable(fmt.Errorf("read the head of the audit log: %w", err))
	}
	return h, nil
}

// CutAudit removes entries from before t and signs where the log begins now.
// It returns how many went.
func (s *Store) CutAudit(ctx context.Context, t time.Time) (total int64, err error) {
	key, err := s.auditKey()
	if err != nil {
		return 0, err
	}
	for ctx.Err() == nil {
		var n int64
		err := s.inTx(ctx, durable, "cut audit log", func(tx *Tx) error {
			n = 0
			// The head first: what is cut must be what was written, in order.
			var begin int64
			if err := tx.row("UPDATE audit_head SET cut_seq = cut_seq WHERE id = 1 RETURNING cut_seq").Scan(&begin); err != nil {
				return err
			}
			// Up to the entry before the first that is young enough: clocks of
			// instances differ, and a gap would look like a deletion.
			var last sql.NullInt64
			err := tx.row(`SELECT max(seq) FROM audit_log WHERE seq <= $2 AND seq < COALESCE((SELECT min(seq) FROM audit_log WHERE at >= $1), 9223372036854775807)`,
				millis(t), begin+deletedAtOnce).Scan(&last)
			if err != nil || !last.Valid || last.Int64 <= begin {
				return err
			}
			var hash []byte
			if err := tx.row("SELECT hash FROM audit_log WHERE seq = $1", last.Int64).Scan(&hash); err != nil {
				return err
			}
			if n, err = tx.exec("DELETE FROM audit_log WHERE seq <= $1", last.Int64); err != nil {
				return err
			}
			if _, err := tx.exec("UPDATE audit_head SET cut_seq = $1, cut_hash = $2, cut_signed = $3 WHERE id = 1", last.Int64, hash, key.cut(last.Int64, hash)); err != nil {
				return err
			}
			return tx.audit(sim.Event{Action: sim.AuditCut, Object: fmt.Sprintf("entries up to %d", last.Int64), Detail: map[string]string{"count": fmt.Sprint(n), "before": t.UTC().Format(time.RFC3339)}})
		})
		total += n
		if err != nil || n < deletedAtOnce {
			return total, err
		}
	}
	return total, ctx.Err()
}
