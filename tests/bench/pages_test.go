package bench_test

import (
	"bufio"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"simora/tests/product"
)

const (
	dist          = "../../web/dist"
	filesVariable = "BENCH_FILES"
	browsers      = 32
)

// BenchmarkPages prints answers per second of pages and assets, beside those
// of net/http.FileServer, a process of its own, over the same files. Both send
// the same bytes: FileServer is asked for the file that is compressed already.
func BenchmarkPages(b *testing.B) {
	server := product.Start(b, b.TempDir())
	plain := startFiles(b)
	script, err := filepath.Glob(dist + "/assets/main-*.js")
	require.NoError(b, err)
	require.NotEmpty(b, script, "build the pages first: make build")
	font, err := filepath.Glob(dist + "/assets/instrument-sans-latin-wdth-*.woff2")
	require.NoError(b, err)
	require.NotEmpty(b, font)
	for _, c := range []struct{ name, path, file, encoding string }{
		{"home", "/", "/", ""},
		{"page", "/industries/healthcare", "/industries/healthcare.html", ""},
		{"script-brotli", "/assets/" + filepath.Base(script[0]), "/assets/" + filepath.Base(script[0]) + ".br", "br"},
		{"font", "/assets/" + filepath.Base(font[0]), "/assets/" + filepath.Base(font[0]), ""},
	} {
		b.Run(c.name, func(b *testing.B) {
			ours, bytes := getter(b, server.URL+c.path, c.encoding)
			theirs, _ := getter(b, plain+c.file, "")
			var rates, limits, ratios []float64
			for b.Loop() {
				rates = append(rates, during(browsers, ours))
				limits = append(limits, during(browsers, theirs))
				ratios = append(ratios, rates[len(rates)-1]/limits[len(limits)-1])
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(median(rates), "answers/s")
			b.ReportMetric(median(limits), "fileserver/s")
			b.ReportMetric(median(ratios), "ratio")
			b.ReportMetric(float64(bytes), "bytes")
		})
	}
}

// getter reads one address again and again; bytes are those of its body.
func getter(b *testing.B, url, encoding string) (get func(int) error, bytes int64) {
	client := &http.Client{Timeout: 30 * time.Second, Transport: &http.Transport{MaxIdleConnsPerHost: 1000, DisableCompression: true}}
	b.Cleanup(client.CloseIdleConnections)
	read := func() (int64, error) {
		r, err := http.NewRequestWithContext(b.Context(), http.MethodGet, url, nil)
		if err != nil {
			return 0, err
		}
		if encoding != "" {
			r.Header.Set("Accept-Encoding", encoding)
		}
		response, err := client.Do(r)
		if err != nil {
			return 0, err
		}
		defer func() { _ = response.Body.Close() }()
		if response.StatusCode != http.StatusOK || response.Header.Get("Content-Encoding") != encoding {
			return 0, fmt.Errorf("%s: %s, encoded %q", url, response.Status, response.Header.Get("Content-Encoding"))
		}
		return io.Copy(io.Discard, response.Body)
	}
	bytes, err := read()
	require.NoError(b, err)
	return func(int) error {
		_, err := read()
		if err != nil {
			b.Error(err)
		}
		return err
	}, bytes
}

// startFiles runs this program again as a plain file server.
func startFiles(b *testing.B) (url string) {
	command := exec.Command(os.Args[0])
	command.Env = append(os.Environ(), filesVariable+"="+dist)
	command.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	out, err := command.StdoutPipe()
	require.NoError(b, err)
	require.NoError(b, command.Start())
	b.Cleanup(func() { _ = command.Process.Kill(); _ = command.Wait() })
	line, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(b, err)
	return strings.TrimSpace(line)
}

func serveFiles(dir string) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("http://%s\n", l.Addr())
	log.Fatal(http.Serve(l, http.FileServer(http.Dir(dir))))
}
