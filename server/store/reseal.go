package store

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"strconv"
	"time"

	"simora/server/keyring"
)

// standingColumns hold what the standing key seals; the row's id is the place.
// keyringCheck is sealed with it, too.
var standingColumns = []struct{ table, column string }{
	{"users", "email"}, {"factors", "secret"}, {"hooks", "target"}, {"auth_sessions", "device"}, {"deliveries", "payload"},
}

// Reseal seals with the newest standing key what an older one has sealed, in
// small portions, and returns how many values. A value that changes meanwhile
// is looked at again. Errors: ErrLeaseLost.
func (s *Store) Reseal(ctx context.Context, l Lease) (total int, err error) {
	versions, err := s.keys.Standing(ctx)
	if err != nil || len(versions) < 2 {
		return 0, err
	}
	newest := keyring.StandingHeader(versions[len(versions)-1])
	for _, c := range standingColumns {
		for {
			n, err := s.resealSome(ctx, l, c.table, c.column, newest)
			if err != nil {
				return total, fmt.Errorf("seal %s.%s anew: %w", c.table, c.column, err)
			}
			if total += n; n < deletedAtOnce {
				break
			}
			select {
			case <-time.After(deletePause):
			case <-ctx.Done():
				return total, ctx.Err()
			}
		}
	}
	n, err := s.resealCheck(ctx, newest)
	return total + n, err
}

// resealSome does a portion; n is how many it found.
func (s *Store) resealSome(ctx context.Context, l Lease, table, column string, newest []byte) (n int, err error) {
	type value struct {
		id       string
		old, new []byte
	}
	rows, err := s.query(ctx, fmt.Sprintf("SELECT id, %[2]s FROM %[1]s WHERE substr(%[2]s, 1, %[3]d) = $1 AND substr(%[2]s, 1, %[4]d) <> $2 ORDER BY id LIMIT %[5]d",
		table, column, keyring.StandingMark, len(newest), deletedAtOnce), newest[:keyring.StandingMark], newest)
	if err != nil {
		return 0, unavailable(err)
	}
	var found []value
	for rows.Next() {
		var v value
		if err := rows.Scan(&v.id, &v.old); err != nil {
			return 0, errors.Join(err, rows.Close())
		}
		found = append(found, v)
	}
	if err := errors.Join(rows.Err(), rows.Close()); err != nil || len(found) == 0 {
		return 0, unavailable(err)
	}
	for i, v := range found {
		plain, err := s.open(table, column, v.id, v.old)
		if err != nil {
			return 0, err
		}
		if found[i].new, err = s.seal(table, column, v.id, plain); err != nil {
			return 0, err
		}
	}
	return len(found), s.inTx(ctx, durable, "seal anew", func(tx *Tx) error {
		if err := tx.keep(l); err != nil {
			return err
		}
		for _, v := range found {
			if _, err := tx.exec(fmt.Sprintf("UPDATE %[1]s SET %[2]s = $3 WHERE id = $1 AND %[2]s = $2", table, column), v.id, v.old, v.new); err != nil {
				return err
			}
		}
		return nil
	})
}

// resealCheck does the value that a start tries its keys on.
func (s *Store) resealCheck(ctx context.Context, newest []byte) (n int, err error) {
	kept, err := s.Setting(ctx, keyringCheck, "")
	if err != nil {
		return 0, err
	}
	raw, err := base64.StdEncoding.DecodeString(kept)
	if err != nil || bytes.HasPrefix(raw, newest) || !bytes.HasPrefix(raw, newest[:keyring.StandingMark]) {
		return 0, err
	}
	plain, err := s.open(settingsTable, settingsColumn, keyringCheck, raw)
	if err != nil {
		return 0, err
	}
	sealed, err := s.seal(settingsTable, settingsColumn, keyringCheck, plain)
	if err != nil {
		return 0, err
	}
	return 1, s.inTx(ctx, durable, "seal anew", func(tx *Tx) error {
		_, err := tx.exec("UPDATE settings SET value = $3 WHERE name = $1 AND value = $2", keyringCheck, kept, base64.StdEncoding.EncodeToString(sealed))
		return err
	})
}

// DropStandingKeys deletes the versions of the standing key whose successor has
// been known for as long as wait, and which no value names any more: in this
// time every process has taken over the successor, and backups from before are
// past their time. It returns how many.
func (s *Store) DropStandingKeys(ctx context.Context, now time.Time, wait time.Duration) (n int, err error) {
	versions, err := s.keys.Standing(ctx)
	if err != nil {
		return 0, err
	}
	for i, version := range versions[:max(0, len(versions)-1)] {
		known, err := s.Setting(ctx, "standing_key_"+strconv.Itoa(versions[i+1]), strconv.FormatInt(millis(now), 10))
		if err != nil {
			return n, err
		}
		since, err := strconv.ParseInt(known, 10, 64)
		if err != nil {
			return n, fmt.Errorf("when standing key %d came: %w", versions[i+1], err)
		}
		if fromMillis(since).After(now.Add(-wait)) {
			continue
		}
		used, err := s.sealedWith(ctx, keyring.StandingHeader(version))
		if err != nil {
			return n, err
		}
		if used {
			continue
		}
		if err := s.keys.DropStanding(ctx, version); err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}

// sealedWith finds out whether any value begins like this. Details of the audit
// log from before they had keys of their own are among them: the chain signs
// them as they were written.
func (s *Store) sealedWith(ctx context.Context, header []byte) (used bool, err error) {
	kept, err := s.Setting(ctx, keyringCheck, "")
	if err != nil {
		return false, err
	}
	if raw, err := base64.StdEncoding.DecodeString(kept); err != nil || bytes.HasPrefix(raw, header) {
		return true, err
	}
	for _, c := range append(standingColumns[:len(standingColumns):len(standingColumns)], struct{ table, column string }{"audit_log", "detail"}) {
		err := s.row(ctx, fmt.Sprintf("SELECT EXISTS (SELECT 1 FROM %s WHERE substr(%s, 1, %d) = $1)", c.table, c.column, len(header)), header).Scan(&used)
		if err != nil || used {
			return used, unavailable(err)
		}
	}
	return false, nil
}
