package bench_test

import (
	"net/http"
	"os/exec"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"simora/tests/product"
)

// BenchmarkStart prints the time from the start of the process to the first
// request that /readyz answers with yes: with nothing there yet, and with many
// sessions. Beside it, a process of the same binary that does nothing.
func BenchmarkStart(b *testing.B) {
	path, err := product.Build()
	require.NoError(b, err)
	for _, i := range installations()[:2] {
		b.Run(i.name+"/new", func(b *testing.B) {
			measureStarts(b, path, func() (dir, url string) { return b.TempDir(), i.url(b) })
		})
		b.Run(i.name+"/filled", func(b *testing.B) {
			dir, url := b.TempDir(), i.url(b)
			require.NoError(b, fill(b, dir, url).Close())
			measureStarts(b, path, func() (string, string) { return dir, url })
		})
	}
}

func measureStarts(b *testing.B, path string, place func() (dir, url string)) {
	var took, bare []float64
	for b.Loop() {
		dir, url := place()
		start := time.Now()
		server, err := product.TryStart(dir, "SIMORA_DATABASE_URL="+url, "SIMORA_RETENTION=3650d")
		require.NoError(b, err)
		for ready := false; !ready; {
			response, err := http.Get(server.URL + "/readyz")
			require.NoError(b, err)
			require.NoError(b, response.Body.Close())
			ready = response.StatusCode == http.StatusOK
		}
		took = append(took, time.Since(start).Seconds()*1000)
		server.Stop()
		start = time.Now()
		require.NoError(b, exec.Command(path, "--help").Run())
		bare = append(bare, time.Since(start).Seconds()*1000)
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(median(took), "ready-ms")
	b.ReportMetric(median(bare), "process-ms")
}
