package store_test

import (
	"context"
	"database/sql"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"simora/server/keyring"
	"simora/server/sim"
	"simora/server/store"
)

var ada = sim.Actor{Kind: sim.ByUser, ID: "0b9d6a3e-8f0f-4d6e-9d5c-3f1c2a7b8e90", Address: "203.0.113.7"}

// auditedStore has a log of n entries, an hour apart.
func auditedStore(t *testing.T, dir, url string, n int) *store.Store {
	t.Helper()
	keys, err := keyring.Load(filepath.Join(dir, keyring.FileName))
	require.NoError(t, err)
	now := start
	s, err := store.Open(t.Context(), store.Options{URL: url, Dir: dir, Keyring: keys, Log: slog.New(slog.DiscardHandler), Now: func() time.Time { return now }})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	for i := range n {
		now = start.Add(time.Duration(i) * time.Hour)
		require.NoError(t, s.Audit(sim.WithActor(t.Context(), ada), sim.Event{Action: sim.SessionViewed, Object: fmt.Sprintf("session %d", i+1), Detail: map[string]string{"n": fmt.Sprint(i)}}))
	}
	return s
}

func problems(t *testing.T, s *store.Store, kept ...store.AuditHead) string {
	t.Helper()
	check, err := s.VerifyAudit(t.Context(), kept)
	require.NoError(t, err)
	var lines []string
	for _, p := range check.Problems {
		lines = append(lines, p.String())
	}
	return strings.Join(lines, "\n")
}

// Somebody who can write to the database, and not read the keyring, changes the
// log. Each row: how, and what the verification says.
func TestTamperingIsFound(t *testing.T) {
	const moveAway, moveBack = "UPDATE audit_log SET seq = seq + 1000 WHERE seq %s", "UPDATE audit_log SET seq = seq - 999 WHERE seq > 1000"
	const copyOf3 = "INSERT INTO audit_log SELECT %d, at, actor_kind, actor_id, action, object, result, detail, detail_hash, person_index, prev_hash, %s FROM audit_log WHERE seq = 3"
	for _, c := range []struct {
		name string
		sql  []string
		says []string
	}{
		{"nothing", nil, nil},
		{"edit: who", []string{"UPDATE audit_log SET actor_id = 'somebody else' WHERE seq = 4"}, []string{"entry 4: is not as it was written: it was changed"}},
		{"edit: when", []string{"UPDATE audit_log SET at = at + 1 WHERE seq = 1"}, []string{"entry 1: is not as it was written"}},
		{"edit: the last", []string{"UPDATE audit_log SET result = 'failed' WHERE seq = 8"}, []string{"entry 8: is not as it was written"}},
		{"edit: the detail", []string{"UPDATE audit_log SET detail = (SELECT detail FROM audit_log WHERE seq = 2) WHERE seq = 5"}, []string{"entry 5: has another detail"}},
		{"edit: the detail wiped", []string{"UPDATE audit_log SET detail = detail_hash WHERE seq = 5"}, []string{"entry 5: has another detail"}},
		{"edit: the detail with its hash", []string{"UPDATE audit_log SET detail = (SELECT detail FROM audit_log WHERE seq = 2), detail_hash = (SELECT detail_hash FROM audit_log WHERE seq = 2) WHERE seq = 5"}, []string{"entry 5: is not as it was written"}},
		{"deletion", []string{"DELETE FROM audit_log WHERE seq = 4"}, []string{"entry 4: is missing: it was deleted"}},
		{"deletion of several", []string{"DELETE FROM audit_log WHERE seq IN (4, 5, 6)"}, []string{"entry 4: is missing with all up to 6"}},
		{"deletion, and the rest moved up", []string{"DELETE FROM audit_log WHERE seq = 4", fmt.Sprintf(moveAway, "> 4"), "UPDATE audit_log SET seq = seq - 1001 WHERE seq > 1000", "UPDATE audit_head SET seq = 7"},
			[]string{"entry 4: was written as entry 5", "entry 7: was written as entry 8"}},
		{"reordering", []string{"UPDATE audit_log SET seq = 1003 WHERE seq = 3", "UPDATE audit_log SET seq = 3 WHERE seq = 6", "UPDATE audit_log SET seq = 6 WHERE seq = 1003"},
			[]string{"entry 3: was written as entry 6: the order was changed", "entry 6: was written as entry 3: the order was changed"}},
		{"insertion in between", []string{fmt.Sprintf(moveAway, "> 4"), moveBack, fmt.Sprintf(copyOf3, 5, "detail_hash"), "UPDATE audit_log SET object = 'forged' WHERE seq = 5", "UPDATE audit_head SET seq = 9"},
			[]string{"entry 5: was not written by Simora: it was inserted", "entry 6: was written as entry 5"}},
		{"insertion of a copy", []string{fmt.Sprintf(moveAway, "> 4"), moveBack, fmt.Sprintf(copyOf3, 5, "hash"), "UPDATE audit_head SET seq = 9"}, []string{"entry 5: was written as entry 3"}},
		{"insertion at the end", []string{fmt.Sprintf(copyOf3, 9, "detail_hash"), "UPDATE audit_head SET seq = 9, hash = (SELECT hash FROM audit_log WHERE seq = 9)"}, []string{"entry 9: "}},
		{"insertion behind the end", []string{fmt.Sprintf(copyOf3, 9, "detail_hash")}, []string{"entry 9: stands behind the end"}},
		{"insertion at the front", []string{fmt.Sprintf(copyOf3, 0, "hash")}, []string{"entry 0: stands before the beginning"}},
		{"truncation", []string{"DELETE FROM audit_log WHERE seq > 5"}, []string{"entry 6: is missing with all up to 8: the end of the log was cut off"}},
		{"truncation, and the head set back", []string{"DELETE FROM audit_log WHERE seq > 5", "UPDATE audit_head SET seq = 5, hash = (SELECT hash FROM audit_log WHERE seq = 5)"},
			[]string{"entry 6: is missing with all up to at least 7, which was mirrored: the end of the log was cut off"}},
		{"truncation of everything", []string{"DELETE FROM audit_log", "UPDATE audit_head SET seq = 0, hash = NULL"}, []string{"entry 1: is missing with all up to at least 7, which was mirrored"}},
		{"the head deleted", []string{"DELETE FROM audit_head"}, []string{"the log's head is missing"}},
		{"the beginning cut off", []string{"DELETE FROM audit_log WHERE seq < 4", "UPDATE audit_head SET cut_seq = 3, cut_hash = (SELECT prev_hash FROM audit_log WHERE seq = 4), cut_signed = cut_hash"},
			[]string{"entry 3: is said to be the last that retention removed, but that is not signed", "entry 1: is missing with all up to 3"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			for name, url := range databases(t) {
				t.Run(name, func(t *testing.T) {
					dir := t.TempDir()
					s := auditedStore(t, dir, url(), 7)
					mirrored, err := s.AuditHead(t.Context())
					require.NoError(t, err)
					require.NoError(t, s.Audit(t.Context(), sim.Event{Action: sim.RetentionRun}))
					require.Empty(t, problems(t, s, mirrored))
					tamper(t, rawDatabase(t, dir, url()), c.sql)
					found := problems(t, s, mirrored)
					for _, text := range c.says {
						assert.Contains(t, found, text)
					}
					assert.Equal(t, len(c.says) > 0, found != "", found)
				})
			}
		})
	}
}

func tamper(t *testing.T, db *sql.DB, statements []string) {
	t.Helper()
	for _, text := range statements {
		_, err := db.Exec(text)
		require.NoError(t, err, text)
	}
}

// A log that goes on after its end was cut off and its head set back is still
// found out: the mirror knows another entry under that number.
func TestTruncationIsFoundAfterTheLogWentOn(t *testing.T) {
	dir := t.TempDir()
	s := auditedStore(t, dir, "", 8)
	mirrored, err := s.AuditHead(t.Context())
	require.NoError(t, err)
	tamper(t, rawDatabase(t, dir, ""), []string{"CREATE TABLE kept AS SELECT * FROM audit_log", "DELETE FROM audit_log WHERE seq > 5", "UPDATE audit_head SET seq = 5, hash = (SELECT hash FROM audit_log WHERE seq = 5)"})
	for range 5 {
		require.NoError(t, s.Audit(t.Context(), sim.Event{Action: sim.RetentionRun}))
	}
	assert.Equal(t, "entry 8: is not the one that was mirrored: the log was rewritten up to here", problems(t, s, mirrored))

	// An entry of the old end, put back into the new one, is genuine and does not fit.
	tamper(t, rawDatabase(t, dir, ""), []string{"DELETE FROM audit_log WHERE seq = 7", "INSERT INTO audit_log SELECT * FROM kept WHERE seq = 7"})
	assert.Contains(t, problems(t, s), "entry 7: does not follow the one before it")
	assert.Contains(t, problems(t, s), "entry 8: does not follow the one before it")
}

func TestManyWritersMakeOneChain(t *testing.T) {
	for name, url := range databases(t) {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			first, second := auditedStore(t, dir, url(), 0), auditedStore(t, dir, url(), 0)
			const writers, each = 6, 20
			var wg sync.WaitGroup
			for i := range writers {
				s := first
				if i%2 == 1 {
					s = second
				}
				wg.Go(func() {
					for range each {
						assert.NoError(t, s.Audit(context.Background(), sim.Event{Action: sim.SessionViewed}, sim.Event{Action: sim.SessionsExported}))
					}
				})
			}
			wg.Wait()
			check, err := first.VerifyAudit(t.Context(), nil)
			require.NoError(t, err)
			assert.Equal(t, store.AuditCheck{First: 1, Last: 2 * writers * each}, check)
		})
	}
}

func TestAFailedChangeLeavesNoEntry(t *testing.T) {
	onBoth(t, func(t *testing.T, s *store.Store) {
		require.ErrorContains(t, s.Audit(t.Context(), sim.Event{Action: sim.SessionViewed}, sim.Event{Action: "made.up"}), "catalogue")
		head, err := s.AuditHead(t.Context())
		require.NoError(t, err)
		assert.Zero(t, head.Seq)
	})
}

func TestEntriesAreListedByFilter(t *testing.T) {
	for name, url := range databases(t) {
		t.Run(name, func(t *testing.T) {
			s := auditedStore(t, t.TempDir(), url(), 5)
			require.NoError(t, s.Audit(t.Context(), sim.Event{Action: sim.SignInFailed, Result: sim.Refused, Person: "Eve@x.example", Detail: map[string]string{"email": "eve@x.example"}}))
			for _, c := range []struct {
				name   string
				filter store.AuditFilter
				want   []int64
			}{
				{"all", store.AuditFilter{}, []int64{6, 5, 4, 3, 2, 1}},
				{"a page", store.AuditFilter{Limit: 2, Before: 5}, []int64{4, 3}},
				{"an action", store.AuditFilter{Action: sim.SignInFailed}, []int64{6}},
				{"a user", store.AuditFilter{Actor: ada.ID}, []int64{5, 4, 3, 2, 1}},
				{"a kind of actor", store.AuditFilter{Actor: "system"}, []int64{6}},
				{"a period", store.AuditFilter{From: start.Add(time.Hour), To: start.Add(3 * time.Hour)}, []int64{3, 2}},
			} {
				if c.filter.Limit == 0 {
					c.filter.Limit = 100
				}
				list, err := s.AuditEntries(t.Context(), c.filter)
				require.NoError(t, err)
				var got []int64
				for _, e := range list {
					got = append(got, e.Seq)
				}
				assert.Equal(t, c.want, got, c.name)
			}
			list, err := s.AuditEntries(t.Context(), store.AuditFilter{Before: 2, Limit: 1})
			require.NoError(t, err)
			assert.Equal(t, []sim.Entry{{Seq: 1, At: start, Actor: ada, Event: sim.Event{Action: sim.SessionViewed, Object: "session 1", Result: sim.Done, Detail: map[string]string{"n": "0"}}}}, list)
		})
	}
}

// Retention removes the old end, and the rest is still proven.
func TestCuttingTheOldEndKeepsTheChain(t *testing.T) {
	for name, url := range databases(t) {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			s := auditedStore(t, dir, url(), 9)
			old, err := s.AuditHead(t.Context())
			require.NoError(t, err)
			n, err := s.CutAudit(t.Context(), start.Add(4*time.Hour))
			require.NoError(t, err)
			assert.EqualValues(t, 4, n)
			check, err := s.VerifyAudit(t.Context(), []store.AuditHead{old, {Seq: 2, Hash: []byte("mirrored, and cut off since")}})
			require.NoError(t, err)
			assert.Equal(t, store.AuditCheck{First: 5, Last: 10}, check)
			tamper(t, rawDatabase(t, dir, url()), []string{"DELETE FROM audit_log WHERE seq = 5"})
			assert.Equal(t, "entry 5: is missing: it was deleted", problems(t, s))
		})
	}
}

// What nobody asked for leaves entries too, in the transaction that does it.
func TestWhatHappensByItselfLeavesEntries(t *testing.T) {
	onBoth(t, func(t *testing.T, s *store.Store) {
		ctx := t.Context()
		startSession(t, s)
		_, _, err := s.AddContact(ctx, newContact("Ada", start))
		require.NoError(t, err)
		user := store.User{ID: uuid.NewString(), Email: "ada@x.example", PasswordHash: "h", CreatedAt: start}
		require.NoError(t, s.CreateUser(ctx, user, "admin"))
		signIn := uuid.NewString()
		require.NoError(t, s.StartAuthSession(ctx, store.NewSignIn{ID: signIn, UserID: user.ID, Method: "password", At: start}))
		life := store.SessionLife{Idle: time.Hour, Absolute: time.Hour}
		for _, counter := range []int64{1, 2, 1} {
			_, err = s.RotateAuthSession(ctx, signIn, counter, life, time.Minute, start)
		}
		require.ErrorIs(t, err, sim.ErrRefreshTokenUsed)
		list, err := s.AuditEntries(ctx, store.AuditFilter{Limit: 100})
		require.NoError(t, err)
		var got []string
		for _, e := range list {
			got = append(got, fmt.Sprint(e.Action, " ", e.Object, " ", e.Result, " ", e.Detail["deleted"]))
		}
		assert.Equal(t, []string{
			"auth.token_reused user " + user.ID + " refused ", "auth.signed_in sign-in " + signIn + " done ", "user.created user " + user.ID + " done ",
		}, got[:3])
	})
}
