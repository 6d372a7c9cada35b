package site

import (
	"bytes"
	"compress/gzip"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"github.com/andybalholm/brotli"
)

// worthCompressing is a size below which an encoding saves nothing.
const worthCompressing = 512

// file is one resource with its encodings; those that the build did not make
// are made on first use.
type file struct {
	kind string
	tag  string
	raw  []byte

	once   sync.Once
	br, gz []byte
}

func (f *file) serve(w http.ResponseWriter, r *http.Request, status int) {
	h := w.Header()
	h.Set("Content-Type", f.kind)
	body, encoding := f.raw, ""
	if f.compressible() {
		h.Add("Vary", "Accept-Encoding")
		body, encoding = f.encoded(r.Header.Get("Accept-Encoding"))
	}
	if status == http.StatusOK {
		tag := `"` + f.tag + encoding + `"`
		h.Set("ETag", tag)
		if matches(r.Header.Get("If-None-Match"), tag) {
			h.Del("Content-Type")
			w.WriteHeader(http.StatusNotModified)
			return
		}
	}
	if encoding != "" {
		h.Set("Content-Encoding", encoding)
	}
	h.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	if r.Method != http.MethodHead {
		_, _ = w.Write(body) // the client has gone away: nothing left to tell it
	}
}

func (f *file) compressible() bool {
	if len(f.raw) < worthCompressing {
		return false
	}
	for _, kind := range []string{"text/", "application/json", "application/manifest", "application/xml", "image/svg"} {
		if strings.HasPrefix(f.kind, kind) {
			return true
		}
	}
	return false
}

func (f *file) encoded(accepted string) (body []byte, encoding string) {
	brotliOK, gzipOK := accepts(accepted, "br"), accepts(accepted, "gzip")
	if !brotliOK && !gzipOK {
		return f.raw, ""
	}
	f.once.Do(f.encode)
	if brotliOK {
		return f.br, "br"
	}
	return f.gz, "gzip"
}

// encode fills what is missing. Writing to a buffer does not fail.
func (f *file) encode() {
	if f.br == nil {
		var b bytes.Buffer
		w := brotli.NewWriterLevel(&b, 9)
		_, _ = w.Write(f.raw)
		_ = w.Close()
		f.br = b.Bytes()
	}
	if f.gz == nil {
		var b bytes.Buffer
		w, _ := gzip.NewWriterLevel(&b, gzip.BestCompression)
		_, _ = w.Write(f.raw)
		_ = w.Close()
		f.gz = b.Bytes()
	}
}

// accepts reads an Accept-Encoding header (RFC 9110 §12.5.3) for one coding.
func accepts(header, coding string) bool {
	accepted := false
	for _, part := range strings.Split(header, ",") {
		name, parameters, _ := strings.Cut(part, ";")
		name = strings.ToLower(strings.TrimSpace(name))
		quality, given := strings.CutPrefix(strings.ToLower(strings.ReplaceAll(parameters, " ", "")), "q=")
		q := 1.0
		if given {
			var err error
			if q, err = strconv.ParseFloat(quality, 64); err != nil {
				q = 0
			}
		}
		if name == coding {
			return q > 0
		}
		if name == "*" {
			accepted = q > 0
		}
	}
	return accepted
}

func matches(header, tag string) bool {
	for _, candidate := range strings.Split(header, ",") {
		candidate = strings.TrimPrefix(strings.TrimSpace(candidate), "W/")
		if candidate == tag || candidate == "*" {
			return true
		}
	}
	return false
}
