package privacy_test

import (
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"simora/server/session"
	"simora/tests/pgserver"
	"simora/tests/product"
	"simora/tests/s3server"
)

// Keys are rotated while visitors talk: with a directory of keys, and with two
// instances that share a bucket of them. No request fails, and everything can
// still be read by a process that starts afterwards.
func TestRotationWhileServersRun(t *testing.T) {
	if testing.Short() {
		t.Skip("runs several servers")
	}
	t.Run("sqlite, directory", func(t *testing.T) {
		dir := t.TempDir()
		rotateUnderLoad(t, dir, nil, product.Start(t, dir))
	})
	t.Run("postgres, bucket, two instances", func(t *testing.T) {
		env := []string{"SIMORA_DATABASE_URL=" + pgserver.Database(t), "SIMORA_KEYS_URL=" + s3server.Start(t) + "/keys", "SIMORA_MASTER_KEY=" + newMasterKey(t)}
		rotateUnderLoad(t, t.TempDir(), env, product.Start(t, t.TempDir(), env...), product.Start(t, t.TempDir(), env...))
	})
}

func newMasterKey(t *testing.T) string {
	t.Helper()
	return strings.TrimSpace(simora(t, 0, t.TempDir(), nil, "keys", "new"))
}

func rotateUnderLoad(t *testing.T, dir string, env []string, servers ...*product.Server) {
	t.Helper()
	talk := func(id string, n int) {
		if id == "" {
			return
		}
		var out session.TurnOutput
		_, err := servers[n%len(servers)].Call(t.Context(), "session-turn", "", session.TurnInput{SessionID: id, UserMessage: "Where does it hurt?"}, &out)
		assert.NoError(t, err)
	}
	begin := func(n int) string {
		var out session.Started
		_, err := servers[n%len(servers)].Call(t.Context(), "session-start", "", session.StartInput{ScenarioSlug: "healthcare-emergency"}, &out)
		assert.NoError(t, err)
		return out.SessionID
	}
	before := begin(0)
	talk(before, 1)
	var stop atomic.Bool
	var turns atomic.Int64
	var wg sync.WaitGroup
	for worker := range 4 {
		wg.Go(func() {
			for !stop.Load() && !t.Failed() {
				id := begin(worker)
				for n := range 3 {
					talk(id, n)
					turns.Add(1)
				}
			}
		})
	}
	for range 3 {
		simora(t, 0, dir, env, "keys", "rotate")
	}
	stop.Store(true)
	wg.Wait()
	assert.Greater(t, turns.Load(), int64(3))
	talk(before, 0)

	list := simora(t, 0, dir, env, "keys", "list")
	assert.Contains(t, list, "master/00004")
	assert.NotContains(t, list, "master/00002 ", "only the last one before it is kept")
	for _, s := range servers {
		s.Kill()
	}
	again := product.Start(t, dir, env...)
	servers = []*product.Server{again}
	talk(before, 0)
	t.Log(strconv.FormatInt(turns.Load(), 10), "turns during three rotations")
}

// Who has other keys, or none of the shared ones, does not start.
func TestWrongKeysRefuseToStart(t *testing.T) {
	url, keys, master := pgserver.Database(t), "file://"+t.TempDir(), newMasterKey(t)
	database := "SIMORA_DATABASE_URL=" + url
	product.Start(t, t.TempDir(), database, "SIMORA_KEYS_URL="+keys, "SIMORA_MASTER_KEY="+master)
	for name, c := range map[string]struct {
		env  []string
		says string
	}{
		"another master key":    {[]string{"SIMORA_KEYS_URL=" + keys, "SIMORA_MASTER_KEY=" + newMasterKey(t)}, "SIMORA_MASTER_KEY"},
		"no master key":         {[]string{"SIMORA_KEYS_URL=" + keys}, "SIMORA_MASTER_KEY"},
		"keys of its own":       {[]string{"SIMORA_MASTER_KEY=" + master}, "SIMORA_KEYS_URL"},
		"no place":              {[]string{"SIMORA_KEYS_URL=ftp://x", "SIMORA_MASTER_KEY=" + master}, "SIMORA_KEYS_URL"},
		"something for a key":   {[]string{"SIMORA_KEYS_URL=" + keys, "SIMORA_MASTER_KEY=hunter2"}, "keys new"},
		"a bucket that is away": {[]string{"SIMORA_KEYS_URL=s3+http://key:hunter2@127.0.0.1:1/bucket", "SIMORA_MASTER_KEY=" + master}, "SIMORA_KEYS_URL"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := product.TryStart(t.TempDir(), append(c.env, database)...)
			require.ErrorContains(t, err, c.says)
			assert.NotContains(t, err.Error(), "hunter2")
			assert.NotContains(t, err.Error(), master)
		})
	}
}
