package commands_test

import (
	"bytes"
	"encoding/json"
	"image"
	_ "image/jpeg"
	"image/png"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"simora/tests/product"
	"simora/tests/s3server"
)

// TestGalleryOnS3 uploads through a server that keeps its files in a bucket,
// and reads them from another one.
func TestGalleryOnS3(t *testing.T) {
	if testing.Short() {
		t.Skip("needs an S3 server")
	}
	address := "SIMORA_MEDIA_URL=" + s3server.Start(t)
	account := []string{address, "SIMORA_ADMIN_EMAIL=boss@example.com", "SIMORA_ADMIN_PASSWORD=correct horse battery"}
	dir := t.TempDir()
	first, second := product.Start(t, dir, account...), product.Start(t, t.TempDir(), account...)
	send := func(s *product.Server, method, path, token string, body []byte) (int, []byte) {
		r, err := http.NewRequestWithContext(t.Context(), method, s.URL+path, bytes.NewReader(body))
		require.NoError(t, err)
		r.Header.Set("Apikey", s.Key)
		r.Header.Set("Authorization", "Bearer "+token)
		r.Header.Set("Content-Type", http.DetectContentType(body))
		if strings.HasPrefix(path, "/auth/") {
			r.Header.Set("Content-Type", "application/json")
		}
		response, err := http.DefaultClient.Do(r)
		require.NoError(t, err)
		defer func() { _ = response.Body.Close() }()
		answer, err := io.ReadAll(response.Body)
		require.NoError(t, err)
		return response.StatusCode, answer
	}
	status, answer := send(first, http.MethodPost, "/auth/v1/token?grant_type=password", first.Key, []byte(`{"email":"boss@example.com","password":"correct horse battery"}`))
	require.Equal(t, http.StatusOK, status, string(answer))
	var signedIn struct {
		Token string `json:"access_token"`
	}
	require.NoError(t, json.Unmarshal(answer, &signedIn))
	var picture bytes.Buffer
	require.NoError(t, png.Encode(&picture, image.NewGray(image.Rect(0, 0, 1500, 500))))
	const name = "industry-media/healthcare/1700000000000_abc.png"
	status, answer = send(first, http.MethodPost, "/storage/v1/object/"+name, signedIn.Token, picture.Bytes())
	require.Equal(t, http.StatusOK, status, string(answer))

	status, answer = send(second, http.MethodGet, "/storage/v1/object/public/"+name, second.Key, nil)
	assert.Equal(t, http.StatusOK, status)
	assert.Equal(t, picture.Bytes(), answer)
	status, answer = send(second, http.MethodGet, "/storage/v1/render/image/public/"+name, second.Key, nil)
	assert.Equal(t, http.StatusOK, status)
	tile, kind, err := image.DecodeConfig(bytes.NewReader(answer))
	require.NoError(t, err)
	assert.Equal(t, []any{"jpeg", 960, 320}, []any{kind, tile.Width, tile.Height})
	kept, err := os.ReadDir(filepath.Join(dir, "media", ".incoming"))
	require.NoError(t, err)
	assert.Empty(t, kept, "nothing stays on the local disk")
}
