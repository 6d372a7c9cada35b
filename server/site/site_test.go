package site_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/andybalholm/brotli"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"simora/server/site"
)

type clock struct{ now time.Time }

func testSite(t *testing.T) (http.Handler, *bytes.Buffer, *clock) {
	t.Helper()
	log := &bytes.Buffer{}
	c := &clock{time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC)}
	long := strings.Repeat("body{color:red}", 100)
	s, err := site.New(site.Options{
		Dist: fstest.MapFS{
			"index.html":          {Data: []byte("<h1>{%.Brand%}</h1> {%.Year%}" + strings.Repeat(" ", 600))},
			"platform.html":       {Data: []byte("platform")},
			"try/healthcare.html": {Data: []byte("try")},
			"404.html":            {Data: []byte("Oops! Page not found")},
			"admin/index.html":    {Data: []byte("console")},
			"assets/a-1234.css":   {Data: []byte(long)},
			"sitemap.xml":         {Data: []byte("<loc>{%.URL%}/</loc>")},
			"site.webmanifest":    {Data: []byte(`{"name":"{%json .Brand%}"}`)},
		},
		Owner: site.Owner{Brand: `A<B & "Co"`}, PublicURL: "https://sim.example", Log: slog.New(slog.NewJSONHandler(log, nil)), Now: func() time.Time { return c.now },
	})
	require.NoError(t, err)
	return s, log, c
}

func get(h http.Handler, path string, header ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodGet, path, nil)
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

func TestPages(t *testing.T) {
	h, _, _ := testSite(t)
	for path, want := range map[string]struct {
		status int
		body   string
	}{
		"/":                       {200, "A&lt;B &amp; &#34;Co&#34;"},
		"/platform":               {200, "platform"},
		"/try/healthcare":         {200, "try"},
		"/admin/sessions/some-id": {200, "console"},
		"/nowhere":                {404, "Oops! Page not found"},
		"/404":                    {404, "Oops! Page not found"},
		"/platform.html":          {404, "Oops! Page not found"},
		"/assets/missing.css":     {404, "Oops! Page not found"},
		"/try":                    {404, "Oops! Page not found"},
		"/assets/a-1234.css":      {200, "color:red"},
		"/sitemap.xml":            {200, "<loc>https://sim.example/</loc>"},
		"/site.webmanifest":       {200, `{"name":"A\u003cB \u0026 \"Co\""}`},
	} {
		w := get(h, path)
		assert.Equal(t, want.status, w.Code, path)
		assert.Contains(t, w.Body.String(), want.body, path)
	}
}

func TestYearTurnsWithTheClock(t *testing.T) {
	h, _, c := testSite(t)
	assert.Contains(t, get(h, "/").Body.String(), "2026")
	c.now = c.now.AddDate(1, 0, 0)
	assert.Contains(t, get(h, "/").Body.String(), "2027")
}

func TestUnknownPathIsLoggedHarmless(t *testing.T) {
	h, log, _ := testSite(t)
	get(h, "/x%0d%0ainjected%1b[31m"+strings.Repeat("a", 5000))
	assert.Contains(t, log.String(), "page not found")
	assert.Less(t, log.Len(), 500)
	assert.Equal(t, 1, strings.Count(log.String(), "\n"))
	assert.NotContains(t, log.String(), "\x1b")
}

func TestSlashesAtTheEndLeadHomeOnly(t *testing.T) {
	h, _, _ := testSite(t)
	w := get(h, "/platform/?a=1")
	assert.Equal(t, http.StatusPermanentRedirect, w.Code)
	assert.Equal(t, "/platform?a=1", w.Header().Get("Location"))
	for _, evil := range []string{"//evil.example/", "///evil.example//"} {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.URL.Path = evil
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		assert.Equal(t, "/evil.example", w.Header().Get("Location"), evil)
	}
	// Browsers drop tabs and line ends out of an address: what is left would be
	// another host's.
	for path, want := range map[string]string{"/%09/evil.example/": "/%09/evil.example", "/%0A/evil.example/": "/%0A/evil.example", "/a%3Fb/": "/a%3Fb", "/a%25/": "/a%25"} {
		assert.Equal(t, want, get(h, path).Header().Get("Location"), path)
	}
}

func TestEncodings(t *testing.T) {
	h, _, _ := testSite(t)
	plain := get(h, "/assets/a-1234.css").Body.String()
	read := func(w *httptest.ResponseRecorder) string {
		var r io.Reader = w.Body
		switch w.Header().Get("Content-Encoding") {
		case "br":
			r = brotli.NewReader(r)
		case "gzip":
			var err error
			r, err = gzip.NewReader(r)
			require.NoError(t, err)
		}
		b, err := io.ReadAll(r)
		require.NoError(t, err)
		return string(b)
	}
	for accept, want := range map[string]string{
		"gzip, deflate, br": "br", "gzip": "gzip", "br;q=0, gzip": "gzip", "*": "br", "identity": "", "": "", "gzip;q=0": "", "br;q=0.5": "br", "br;q=x": "",
	} {
		w := get(h, "/assets/a-1234.css", "Accept-Encoding", accept)
		assert.Equal(t, want, w.Header().Get("Content-Encoding"), accept)
		assert.Equal(t, plain, read(w), accept)
		assert.Equal(t, "Accept-Encoding", w.Header().Get("Vary"))
	}
}

func TestRevalidation(t *testing.T) {
	h, _, _ := testSite(t)
	first := get(h, "/", "Accept-Encoding", "br")
	assert.Equal(t, "no-cache", first.Header().Get("Cache-Control"))
	again := get(h, "/", "Accept-Encoding", "br", "If-None-Match", first.Header().Get("ETag"))
	assert.Equal(t, http.StatusNotModified, again.Code)
	assert.Empty(t, again.Body.String())
	other := get(h, "/", "If-None-Match", first.Header().Get("ETag"))
	assert.Equal(t, http.StatusOK, other.Code, "another encoding is another representation")
	assert.Contains(t, get(h, "/assets/a-1234.css").Header().Get("Cache-Control"), "immutable")
	assert.Equal(t, "no-store", get(h, "/nowhere").Header().Get("Cache-Control"))
}

func TestUnbuiltSiteSaysWhatToDo(t *testing.T) {
	_, err := site.New(site.Options{Dist: fstest.MapFS{}, Now: time.Now})
	assert.ErrorContains(t, err, "make build")
}

func TestLogosOfTheOwner(t *testing.T) {
	s, err := site.New(site.Options{
		Dist: fstest.MapFS{
			"index.html": {Data: []byte(`{%range .Institutions%}{%if .Logo%}<img src="{%.Logo%}">{%else%}<use href="#{%.Kind%}"/>{%end%} {%.Name%};{%end%}`)},
			"404.html":   {Data: []byte("lost")},
		},
		Owner: site.Owner{Institutions: []site.Institution{{Name: "A & B", Kind: "airline"}, {Name: "C", Kind: "airline", Logo: "c.svg", Picture: []byte("<svg/>")}}},
		Log:   slog.New(slog.DiscardHandler), Now: time.Now,
	})
	require.NoError(t, err)
	page := get(s, "/").Body.String()
	assert.Contains(t, page, `<use href="#airline"/> A &amp; B;`)
	address, _, _ := strings.Cut(strings.SplitAfter(page, `src="`)[1], `"`)
	logo := get(s, address)
	assert.Equal(t, "<svg/>", logo.Body.String())
	assert.Equal(t, "image/svg+xml; charset=utf-8", logo.Header().Get("Content-Type"))
	assert.Contains(t, logo.Header().Get("Cache-Control"), "immutable")
}
