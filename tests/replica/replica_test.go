// Package replica_test is the drill that docs/operations.md describes: the
// embedded database is replicated by Litestream while the product works, both
// are killed, and the product goes on from the replica.
package replica_test

import (
	"database/sql"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	_ "modernc.org/sqlite"

	"simora/tests/product"
)

func TestReplicaTakesOver(t *testing.T) {
	litestream := os.Getenv("SIMORA_TEST_LITESTREAM")
	if litestream == "" {
		t.Skip("SIMORA_TEST_LITESTREAM does not name the litestream program: run make replica-drill")
	}
	dir, replica := t.TempDir(), "file://"+t.TempDir()
	first := product.Start(t, dir)
	database := filepath.Join(dir, "simora.db")
	copying := exec.Command(litestream, "replicate", database, replica)
	copying.Stderr = os.Stderr
	require.NoError(t, copying.Start())

	const messages = 20
	for i := range messages {
		message := map[string]string{"name": "N", "email": fmt.Sprintf("n%d@example.com", i), "reason": "demo", "message": fmt.Sprintf("message %d", i)}
		_, err := first.Call(t.Context(), "send-contact-email", "", message, &struct{}{})
		require.NoError(t, err)
	}
	target := t.TempDir()
	restored := filepath.Join(target, "simora.db")
	// Litestream follows within a second; a machine under load takes its time.
	require.Eventually(t, func() bool {
		_ = os.Remove(restored)
		out, err := exec.Command(litestream, "restore", "-o", restored, replica).CombinedOutput()
		if err != nil {
			t.Logf("restore: %s", out)
			return false
		}
		return count(t, restored) == messages
	}, 60*time.Second, time.Second)
	first.Kill()
	require.NoError(t, copying.Process.Kill())
	_ = copying.Wait()

	for _, name := range []string{"keyring.json", "keys"} { // what is kept apart
		if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
			out, err := exec.Command("cp", "-a", filepath.Join(dir, name), target).CombinedOutput()
			require.NoError(t, err, string(out))
		}
	}
	_ = os.RemoveAll(dir)
	second := product.Start(t, target)
	_, err := second.Call(t.Context(), "session-start", "", map[string]string{"scenarioSlug": "healthcare-emergency"}, &struct{}{})
	require.NoError(t, err)
	path, err := product.Build()
	require.NoError(t, err)
	export := exec.Command(path, "person", "export", "n7@example.com")
	export.Env = append(os.Environ(), "SIMORA_DATA="+target)
	out, err := export.CombinedOutput()
	require.NoError(t, err, string(out))
	assert.Contains(t, string(out), "message 7")
}

func count(t *testing.T, database string) (n int) {
	t.Helper()
	db, err := sql.Open("sqlite", database)
	require.NoError(t, err)
	defer func() { _ = db.Close() }()
	if err := db.QueryRow("SELECT count(*) FROM contact_messages").Scan(&n); err != nil {
		return 0
	}
	return n
}
