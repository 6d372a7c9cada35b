// Package site serves the prerendered pages and their assets from memory.
//
//	path ─▶ page or file ─▶ ETag ─▶ the best encoding ─▶ answer
//	   └── unknown ─▶ the 404 page with status 404, the path logged
package site

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"log/slog"
	"mime"
	"net/http"
	"net/url"
	"path"
	"strings"
	"sync/atomic"
	"text/template"
	"time"

	"simora/server/sim"
)

// Options is what the site needs.
type Options struct {
	Dist          fs.FS
	Config        []byte // /config.json: what the browser needs to know
	Owner         Owner
	PublicURL     string // scheme and host, for absolute addresses
	RetentionDays int
	Log           *slog.Logger
	Now           func() time.Time
}

const (
	notFoundPage = "404.html"
	adminShell   = "admin/index.html"
	assets       = "/assets/" // hashed names: a change of content is a change of name
	logos        = "/logos/"  // the same
	forever      = "public, max-age=31536000, immutable"
	revalidate   = "no-cache"
	maxLogPath   = 200
)

// Site is an http.Handler.
type Site struct {
	options Options
	files   map[string][]byte // as built, by path inside dist
	pages   map[string]*template.Template
	filled  atomic.Pointer[edition]
}

// edition is the site with its blanks filled in, as of one year.
type edition struct {
	year  int
	files map[string]*file
}

// New reads the built site once. A site that was not built is an error.
func New(o Options) (*Site, error) {
	s := &Site{options: o, files: map[string][]byte{}, pages: map[string]*template.Template{}}
	err := fs.WalkDir(o.Dist, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		raw, err := fs.ReadFile(o.Dist, name)
		if err == nil && hasBlanks(name) {
			s.pages[name], err = parsePage(name, raw)
			return err
		}
		s.files[name] = raw
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read site: %w", err)
	}
	for _, needed := range []string{"index.html", notFoundPage} {
		if _, ok := s.pages[needed]; !ok {
			return nil, fmt.Errorf("the web pages are not built into this binary (%s is missing): run make build", needed)
		}
	}
	e, err := s.fill(o.Now().Year())
	if err != nil {
		return nil, err
	}
	s.filled.Store(e)
	return s, nil
}

// edition returns the site with this year's copyright line.
func (s *Site) edition() *edition {
	e, year := s.filled.Load(), s.options.Now().Year()
	if e.year == year {
		return e
	}
	next, err := s.fill(year)
	if err != nil { // it went well with the year before
		s.options.Log.Error("fill pages", "error", err)
		return e
	}
	s.filled.Store(next)
	return next
}

func (s *Site) fill(year int) (*edition, error) {
	e := &edition{year: year, files: map[string]*file{}}
	for name, raw := range s.files {
		if !isEncoding(name) {
			e.files[name] = newFile(name, raw, s.files[name+".br"], s.files[name+".gz"])
		}
	}
	blanks := s.options.blanks(year)
	for i, one := range s.options.Owner.Institutions {
		if one.Logo != "" {
			e.files[strings.TrimPrefix(blanks.Institutions[i].Logo, "/")] = newFile(one.Logo, one.Picture, nil, nil)
		}
	}
	for name, page := range s.pages {
		var filled bytes.Buffer
		if err := page.Execute(&filled, blanks); err != nil {
			return nil, fmt.Errorf("fill page: %w", err)
		}
		e.files[name] = newFile(name, filled.Bytes(), nil, nil)
	}
	e.files["config.json"] = newFile("config.json", s.options.Config, nil, nil)
	return e, nil
}

func isEncoding(name string) bool {
	ext := path.Ext(name)
	return ext == ".br" || ext == ".gz"
}

func newFile(name string, raw, br, gz []byte) *file {
	digest := sha256.Sum256(raw)
	kind := mime.TypeByExtension(path.Ext(name))
	if known, ok := kinds[path.Ext(name)]; ok {
		kind = known
	}
	return &file{kind: kind, tag: hex.EncodeToString(digest[:12]), raw: raw, br: br, gz: gz}
}

// kinds are the types that must not depend on the machine's own table.
var kinds = map[string]string{
	".html":        "text/html; charset=utf-8",
	".css":         "text/css; charset=utf-8",
	".js":          "text/javascript; charset=utf-8",
	".json":        "application/json",
	".svg":         "image/svg+xml; charset=utf-8",
	".txt":         "text/plain; charset=utf-8",
	".xml":         "application/xml; charset=utf-8",
	".webmanifest": "application/manifest+json",
	".woff2":       "font/woff2",
	".png":         "image/png",
	".ico":         "image/x-icon",
}

func (s *Site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	}
	if clean := strings.TrimRight(r.URL.Path, "/"); clean != r.URL.Path && r.URL.Path != "/" {
		s.redirect(w, r, clean)
		return
	}
	files := s.edition().files
	f, status := find(files, r.URL.Path), http.StatusOK
	if f == nil {
		f, status = files[notFoundPage], http.StatusNotFound
		s.options.Log.InfoContext(r.Context(), "page not found", "path", sim.Cut(r.URL.Path, maxLogPath))
	}
	h := w.Header()
	switch {
	case status == http.StatusNotFound:
		h.Set("Cache-Control", "no-store")
	case strings.HasPrefix(r.URL.Path, assets), strings.HasPrefix(r.URL.Path, logos):
		h.Set("Cache-Control", forever)
	default:
		h.Set("Cache-Control", revalidate)
	}
	if strings.HasPrefix(f.kind, "text/html") {
		h.Set("Content-Security-Policy", pagePolicy(strings.HasPrefix(s.options.PublicURL, "https:")))
	}
	f.serve(w, r, status)
}

// redirect drops slashes at the end. The target is a path on this host: it has
// exactly one slash in front, and what a browser would drop is escaped.
func (s *Site) redirect(w http.ResponseWriter, r *http.Request, clean string) {
	target := url.URL{Path: "/" + strings.TrimLeft(clean, "/\\"), RawQuery: r.URL.RawQuery}
	http.Redirect(w, r, target.String(), http.StatusPermanentRedirect)
}

// find returns the page or file of a request path, or nil.
func find(files map[string]*file, requested string) *file {
	name := strings.TrimPrefix(requested, "/")
	switch {
	case name == "":
		return files["index.html"]
	case strings.HasSuffix(name, ".html"):
		return nil // pages have one address, without the ending
	}
	for _, candidate := range []string{name, name + ".html", name + "/index.html"} {
		if f, ok := files[candidate]; ok && candidate != notFoundPage {
			return f
		}
	}
	if strings.HasPrefix(name, "admin/") {
		return files[adminShell]
	}
	return nil
}

// pagePolicy is the content security policy of a page: everything from here,
// nothing inline, no string becomes script.
func pagePolicy(https bool) string {
	policy := "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; media-src 'self' blob:; font-src 'self'; " +
		"connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; object-src 'none'; " +
		"require-trusted-types-for 'script'; trusted-types 'none'"
	if https {
		policy += "; upgrade-insecure-requests"
	}
	return policy
}
