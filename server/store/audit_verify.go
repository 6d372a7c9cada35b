package store

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"database/sql"
	"errors"
	"fmt"
)

// AuditProblem is one place where the log is not as it was written.
type AuditProblem struct {
	Seq  int64  // the entry, or the first of those that are meant
	What string // changed, missing, moved, inserted or cut off, and which entries
}

func (p AuditProblem) String() string { return fmt.Sprintf("entry %d: %s", p.Seq, p.What) }

// AuditCheck is what a verification found.
type AuditCheck struct {
	First, Last int64 // the entries that were looked at
	Erased      int   // details that were erased together with a person
	Problems    []AuditProblem
}

// mostProblems bounds a report: a log that was rewritten has one at each entry.
const mostProblems = 50

// verifyPage is how many entries are read at once.
const verifyPage = 1000

// VerifyAudit walks the whole log and compares it with heads that were kept
// outside of the database. It reads one state of the log, also while others
// append. An error means that it could not look.
func (s *Store) VerifyAudit(ctx context.Context, kept []AuditHead) (AuditCheck, error) {
	key, err := s.auditKey()
	if err != nil {
		return AuditCheck{}, err
	}
	options := &sql.TxOptions{ReadOnly: true}
	if s.postgres {
		options.Isolation = sql.LevelRepeatableRead
	}
	tx, err := s.read.BeginTx(ctx, options)
	if err != nil {
		return AuditCheck{}, unavailable(fmt.Errorf("verify audit log: %w", err))
	}
	defer func() { _ = tx.Rollback() }()
	v := &auditVerifier{tx: tx, key: key, kept: map[int64][]byte{}}
	for _, h := range kept {
		v.keep(h)
	}
	if err := v.walk(ctx); err != nil {
		return AuditCheck{}, unavailable(fmt.Errorf("verify audit log: %w", err))
	}
	return v.check, nil
}

type auditVerifier struct {
	tx    *sql.Tx
	key   auditKey
	kept  map[int64][]byte
	check AuditCheck

	headSeq    int64
	headless   bool
	last       int64  // of the rows walked
	hash       []byte // that the next row has to name
	highest    int64  // kept outside
	suspicious []auditRow
}

func (v *auditVerifier) keep(h AuditHead) {
	if known, twice := v.kept[h.Seq]; twice && !bytes.Equal(known, h.Hash) {
		v.problem(h.Seq, "was mirrored with two hashes: the end of the log was rewritten")
	}
	v.kept[h.Seq] = h.Hash
	v.highest = max(v.highest, h.Seq)
}

func (v *auditVerifier) problem(seq int64, format string, args ...any) {
	if len(v.check.Problems) < mostProblems {
		v.check.Problems = append(v.check.Problems, AuditProblem{seq, fmt.Sprintf(format, args...)})
	}
}

func (v *auditVerifier) walk(ctx context.Context) error {
	headHash, err := v.begin(ctx)
	if err != nil {
		return err
	}
	for from := int64(-1 << 62); ; {
		rows, err := v.page(ctx, from)
		if err != nil {
			return err
		}
		for _, r := range rows {
			v.row(r)
			from = r.seq
		}
		if len(rows) < verifyPage {
			break
		}
	}
	v.check.Last = v.last
	if err := v.explain(ctx); err != nil {
		return err
	}
	switch {
	case v.headless:
	case v.last > v.headSeq:
		v.problem(v.headSeq+1, "stands behind the end of the log: it was inserted, or the end was set back")
	case v.last < v.headSeq:
		v.problem(v.last+1, "is missing with all up to %d: the end of the log was cut off", v.headSeq)
	case v.last == v.headSeq && !bytes.Equal(v.hash, headHash) && v.headSeq > 0:
		v.problem(v.last, "is not the one that was written last: it was changed")
	}
	if v.highest > max(v.last, v.headSeq) {
		v.problem(max(v.last, v.headSeq)+1, "is missing with all up to at least %d, which was mirrored: the end of the log was cut off", v.highest)
	}
	return nil
}

// begin reads the head and where the log begins.
func (v *auditVerifier) begin(ctx context.Context) (headHash []byte, err error) {
	var cut int64
	var cutHash, signed []byte
	err = v.tx.QueryRowContext(ctx, "SELECT seq, hash, cut_seq, cut_hash, cut_signed FROM audit_head WHERE id = 1").Scan(&v.headSeq, &headHash, &cut, &cutHash, &signed)
	if errors.Is(err, sql.ErrNoRows) {
		v.headless = true
		v.problem(0, "the log's head is missing: it was deleted")
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if cut > 0 && hmac.Equal(signed, v.key.cut(cut, cutHash)) {
		v.last, v.hash = cut, cutHash
	} else if cut > 0 {
		v.problem(cut, "is said to be the last that retention removed, but that is not signed: the beginning of the log was cut off")
	}
	v.check.First = v.last + 1
	return headHash, nil
}

func (v *auditVerifier) page(ctx context.Context, after int64) (page []auditRow, err error) {
	rows, err := v.tx.QueryContext(ctx, "SELECT "+auditColumns+" FROM audit_log WHERE seq > $1 ORDER BY seq LIMIT $2", after, verifyPage)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		r, err := scanAuditRow(rows.Scan)
		if err != nil {
			return nil, err
		}
		page = append(page, r)
	}
	return page, rows.Err()
}

// row holds one row against its signature, its place and the row before it.
func (v *auditVerifier) row(r auditRow) {
	if r.seq < v.check.First {
		v.problem(r.seq, "stands before the beginning of the log: it was inserted")
		return
	}
	if r.seq > v.last+1 {
		v.missing(v.last+1, r.seq-1)
	}
	genuine := hmac.Equal(r.hash, v.key.row(r, r.seq))
	linked := bytes.Equal(r.prev, v.hash) || r.seq > v.last+1 // after a gap there is nothing to compare with
	switch {
	case !genuine:
		v.suspicious = append(v.suspicious, r)
	case !linked:
		v.problem(r.seq, "does not follow the one before it: the log was rewritten from here, or before")
	}
	if mirrored, ok := v.kept[r.seq]; ok && !bytes.Equal(mirrored, r.hash) {
		v.problem(r.seq, "is not the one that was mirrored: the log was rewritten up to here")
	}
	if hash := sha256.Sum256(r.detail); !bytes.Equal(hash[:], r.detailHash) {
		if hmac.Equal(r.detail, v.key.erased(r.seq)) {
			v.check.Erased++
		} else if genuine {
			v.problem(r.seq, "has another detail than the one that was written: it was changed")
		}
	}
	v.last, v.hash = r.seq, r.hash
}

func (v *auditVerifier) missing(from, to int64) {
	if from == to {
		v.problem(from, "is missing: it was deleted")
		return
	}
	v.problem(from, "is missing with all up to %d: they were deleted", to)
}

// explain tells what happened to rows whose signature is wrong: a row that is
// genuine at another place was moved; a row whose hash the next one still names
// was changed; any other was never written by us.
func (v *auditVerifier) explain(ctx context.Context) error {
	for _, r := range v.suspicious[:min(len(v.suspicious), mostProblems)] {
		if at := v.writtenAt(r); at != 0 {
			v.problem(r.seq, "was written as entry %d: the order was changed, or entries were inserted or removed between", at)
			continue
		}
		var named int
		err := v.tx.QueryRowContext(ctx, "SELECT count(*) FROM audit_log WHERE prev_hash = $1", r.hash).Scan(&named)
		if err != nil {
			return err
		}
		if named > 0 || r.seq == v.headSeq {
			v.problem(r.seq, "is not as it was written: it was changed")
		} else {
			v.problem(r.seq, "was not written by Simora: it was inserted")
		}
	}
	return nil
}

// farthest is how far from its place a moved entry is looked for.
const farthest = 10_000

// writtenAt looks for the number under which a row's signature is right, the
// near ones first; 0: none.
func (v *auditVerifier) writtenAt(r auditRow) int64 {
	for off := int64(1); off <= farthest; off++ {
		for _, seq := range []int64{r.seq - off, r.seq + off} {
			if seq > 0 && hmac.Equal(r.hash, v.key.row(r, seq)) {
				return seq
			}
		}
	}
	return 0
}
