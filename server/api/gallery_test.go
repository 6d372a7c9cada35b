package api_test

import (
	"bytes"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"simora/server/api"
	"simora/server/api/accounts"
	"simora/server/api/functions"
	"simora/server/api/objects"
	"simora/server/api/tables"
	"simora/server/guard"
	"simora/server/keyring"
	"simora/server/media"
	"simora/server/store"
)

const picture = "healthcare/1700000000000_abc.png"

// gallery is the surface over a real store and directory, with three published
// pictures.
func gallery(t *testing.T) http.Handler {
	t.Helper()
	dir := t.TempDir()
	keys, err := keyring.Load(filepath.Join(dir, keyring.FileName))
	require.NoError(t, err)
	log := slog.New(slog.DiscardHandler)
	s, err := store.Open(t.Context(), store.Options{Dir: dir, Keyring: keys, Log: log, Exclusive: true})
	require.NoError(t, err)
	t.Cleanup(func() { _ = s.Close() })
	caption := "The ward, \"before\" & after"
	for i, m := range []store.Medium{
		{FilePath: "healthcare/second.mp4", FileType: "video", Industry: "healthcare", DisplayOrder: 1},
		{FilePath: picture, FileType: "image", Industry: "healthcare", Caption: &caption},
		{FilePath: "airlines/cabin.jpg", FileType: "image", Industry: "airlines"},
	} {
		m.ID, m.FileName, m.CreatedAt = uuid.NewString(), "secret-name.png", time.Unix(int64(1_700_000_000+i), 0)
		require.NoError(t, s.AddMedia(t.Context(), m))
	}
	files, err := media.Open(filepath.Join(dir, "media"), "", nil)
	require.NoError(t, err)
	t.Cleanup(func() { _ = files.Close() })
	path := filepath.Join(dir, "media", media.Bucket, picture)
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
	require.NoError(t, os.WriteFile(path, []byte("0123456789"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(filepath.Dir(path), "page.html"), []byte("<script>"), 0o600))
	require.NoError(t, os.Symlink("/etc/passwd", filepath.Join(filepath.Dir(path), "link.png")))
	return api.Handler(api.Options{Keys: []string{key}, Limiter: guard.NewLimits(1000), Log: log},
		api.Table(accounts.Accounts{}, functions.Functions{}, tables.Tables{Store: s}, objects.Objects{Media: files, Audit: s.Audit}))
}

func rows(t *testing.T, w *httptest.ResponseRecorder) []map[string]any {
	t.Helper()
	require.Equal(t, http.StatusOK, w.Code, w.Body.String())
	var all []map[string]any
	require.NoError(t, json.Unmarshal(w.Body.Bytes(), &all))
	return all
}

func TestPublicGalleryAsThePageAsksForIt(t *testing.T) {
	h := gallery(t)
	w := request{method: http.MethodGet, path: "/rest/v1/gallery_media?select=id%2Cfile_path%2Cfile_type%2Ccaption&industry=eq.healthcare&order=display_order.asc"}.to(h)
	all := rows(t, w)
	require.Len(t, all, 2)
	assert.Equal(t, picture, all[0]["file_path"])
	assert.Equal(t, `The ward, "before" & after`, all[0]["caption"])
	assert.Nil(t, all[1]["caption"])
	assert.Equal(t, "video", all[1]["file_type"])
	assert.Len(t, all[0], 4)
	assert.Equal(t, "0-1/*", w.Header().Get("Content-Range"))

	empty := request{method: http.MethodGet, path: "/rest/v1/gallery_media?select=id&industry=eq.corporate"}.to(h)
	assert.JSONEq(t, "[]", empty.Body.String())
	assert.Equal(t, "*/*", empty.Header().Get("Content-Range"))

	most := rows(t, request{method: http.MethodGet, path: "/rest/v1/gallery_media?select=display_order&industry=eq.healthcare&order=display_order.desc&limit=1"}.to(h))
	assert.Equal(t, []map[string]any{{"display_order": 1.0}}, most)
}

func TestSingleObject(t *testing.T) {
	h := gallery(t)
	single := map[string]string{"Accept": "application/vnd.pgrst.object+json"}
	w := request{method: http.MethodGet, path: "/rest/v1/gallery_media?select=industry&industry=eq.airlines", header: single}.to(h)
	assert.JSONEq(t, `{"industry":"airlines"}`, w.Body.String())
	w = request{method: http.MethodGet, path: "/rest/v1/gallery_media?select=industry&industry=eq.healthcare", header: single}.to(h)
	assert.Equal(t, http.StatusNotAcceptable, w.Code)
	assert.Contains(t, w.Body.String(), "PGRST116")
	assert.Contains(t, w.Body.String(), "The result contains 2 rows")
}

func TestWhatVisitorsMayNotReadOfTheGallery(t *testing.T) {
	h := gallery(t)
	for _, query := range []string{"", "select=*", "select=file_name", "select=id,created_at", "select=id&file_name=eq.secret-name.png", "select=id&order=created_at.desc", "select=id&file_name=gt.a"} {
		w := request{method: http.MethodGet, path: "/rest/v1/gallery_media?" + query}.to(h)
		assert.Equal(t, http.StatusUnauthorized, w.Code, query)
		assert.Contains(t, w.Body.String(), "42501", query)
		assert.NotContains(t, w.Body.String(), "secret-name", query)
	}
}

// Nothing but the small language is understood, whatever is tried.
func TestHostileQueries(t *testing.T) {
	h := gallery(t)
	for _, query := range []string{
		"select=id,id", "select=", "select=id,", "select=,id", "select=id:file_name", "select=id::text", "select=count()", "select=id,sessions(*)", "select=...", "select=\"id\"",
		"select=id'", "select=id--", "select=id;drop table x", "select=id%00", "select=ID", "select=id%20", "select=(select 1)", "select=users.email", "select=*,id", "select=id&select=id",
		"select=nothing", "select=rowid", "select=ctid", "select=" + strings.Repeat("a", 5000), "select=" + strings.Repeat("id,", 500) + "id",
		"select=id&or=(id.eq.1)", "select=id&and=(id.eq.1)", "select=id&not.or=(a.eq.1)", "select=id&id=not.eq.1", "select=id&id=eq", "select=id&id=", "select=id&id=eq.",
		"select=id&id=eq.1", "select=id&id=eq.' or 1=1--", "select=id&id=in.(1,2)", "select=id&id=is.null", "select=id&industry=like.*", "select=id&industry=ilike.*a*",
		"select=id&industry=fts.x", "select=id&industry=cs.{a}", "select=id&industry=ov.x", "select=id&industry=eq(any).{a}", "select=id&industry=any", "select=id&industry.x=eq.a",
		"select=id&display_order=eq.x", "select=id&display_order=eq.1.5", "select=id&display_order=eq.99999999999999999999", "select=id&display_order=eq.", "select=id&industry=eq.%00", "select=id&industry=eq.%ff",
		"select=id&order=", "select=id&order=id.up", "select=id&order=id.asc.nullsfirst.x", "select=id&order=id asc", "select=id&order=(select 1)", "select=id&order=sessions(id)",
		"select=id&order=id&order=id", "select=id&order=id,", "select=id&order=1", "select=id&order=nothing", "select=id&order=" + strings.Repeat("id,", 50) + "id",
		"select=id&limit=-1", "select=id&limit=x", "select=id&limit=1e3", "select=id&limit=", "select=id&offset=-1", "select=id&offset=x", "select=id&offset=99999999999999999999",
		"select=id&columns=id", "select=id&on_conflict=id", "select=id&pg_sleep(9)=eq.1", "select=id&%27=eq.1", "select=id&email=eq.a", "select=id&=eq.a", "select=id&%ff=eq.1", "select=id&id=eq.%ff",
	} {
		parsed := url.URL{Path: "/rest/v1/gallery_media", RawQuery: strings.NewReplacer(" ", "%20", "\"", "%22", "'", "%27", ";", "%3B", "{", "%7B", "}", "%7D").Replace(query)}
		w := request{method: http.MethodGet, path: parsed.String()}.to(h)
		assert.Equal(t, http.StatusBadRequest, w.Code, "%s: %s", query, w.Body.String())
		var body struct{ Code, Message string }
		require.NoError(t, json.Unmarshal(w.Body.Bytes(), &body), query)
		assert.Contains(t, []string{"PGRST100", "42703", "22P02"}, body.Code, query)
		assert.Less(t, w.Body.Len(), 400, query)
	}
}

func TestPublicObject(t *testing.T) {
	h := gallery(t)
	fetch := func(method, name string, header ...string) *httptest.ResponseRecorder {
		r := httptest.NewRequest(method, "/storage/v1/object/public/industry-media/"+name, nil) // no key
		for i := 0; i+1 < len(header); i += 2 {
			r.Header.Set(header[i], header[i+1])
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return w
	}
	whole := fetch(http.MethodGet, picture)
	assert.Equal(t, http.StatusOK, whole.Code)
	assert.Equal(t, "0123456789", whole.Body.String())
	assert.Equal(t, "image/png", whole.Header().Get("Content-Type"))
	assert.Contains(t, whole.Header().Get("Cache-Control"), "max-age=3600")
	assert.Equal(t, "bytes", whole.Header().Get("Accept-Ranges"))
	assert.Equal(t, http.StatusNotModified, fetch(http.MethodGet, picture, "If-None-Match", whole.Header().Get("ETag")).Code)
	assert.Empty(t, fetch(http.MethodHead, picture).Body.String())

	part := fetch(http.MethodGet, picture, "Range", "bytes=2-4")
	assert.Equal(t, http.StatusPartialContent, part.Code)
	assert.Equal(t, "234", part.Body.String())
	assert.Equal(t, "bytes 2-4/10", part.Header().Get("Content-Range"))
	assert.Equal(t, http.StatusRequestedRangeNotSatisfiable, fetch(http.MethodGet, picture, "Range", "bytes=50-").Code)
	assert.Contains(t, fetch(http.MethodGet, picture+"?download=my%20ward.png").Header().Get("Content-Disposition"), `my ward.png`)

	for name, want := range map[string]string{
		"healthcare/none.png": "404", "healthcare/page.html": "400", "healthcare/x.svg": "400", "healthcare": "400", "": "400",
		"healthcare/..%2f..%2fkeyring.json": "400", "healthcare/.hidden.png": "400", "other/a.png": "400", "healthcare/a%00.png": "400", "healthcare/" + strings.Repeat("a", 300) + ".png": "400",
	} {
		w := fetch(http.MethodGet, name)
		assert.Equal(t, http.StatusBadRequest, w.Code, name)
		assert.Contains(t, w.Body.String(), `"statusCode":"`+want+`"`, name)
		assert.Equal(t, "no-store", w.Header().Get("Cache-Control"), name)
	}
	// A link out of the directory leads nowhere.
	w := fetch(http.MethodGet, "healthcare/link.png")
	assert.GreaterOrEqual(t, w.Code, 400)
	raw, err := io.ReadAll(w.Body)
	require.NoError(t, err)
	assert.False(t, bytes.Contains(raw, []byte("root:")))
}
