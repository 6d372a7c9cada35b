package faults_test

import (
	"bytes"
	"flag"
	"fmt"
	"image"
	"image/png"
	"io"
	"io/fs"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"simora/server/keyring"
	"simora/server/media"
	"simora/server/store"
	"simora/tests/product"
	"simora/tests/s3server"
)

var uploadKills = flag.Int("upload-kills", 4, "how many times the process is killed while it takes uploads")

// line is a connection to a server that can be cut.
type line struct {
	address string // of its near end
	to      string

	mu    sync.Mutex
	cut   bool // after room more bytes towards the server
	reset bool // what is cut is hung up on, and not just silent
	room  int
	heal  chan struct{} // closed when a cut line is mended
	stuck atomic.Bool   // something met the cut
}

// lay puts a line before the bucket that address names.
func lay(t *testing.T, address string) (l *line, through string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	before, rest, _ := strings.Cut(address, "@")
	to, name, _ := strings.Cut(rest, "/")
	l = &line{address: listener.Addr().String(), to: to}
	go func() {
		for {
			near, err := listener.Accept()
			if err != nil {
				return
			}
			go l.carry(near.(*net.TCPConn))
		}
	}()
	return l, before + "@" + l.address + "/" + name
}

// Cut lets so many bytes more go to the server, then nothing in either
// direction until Mend.
func (l *line) Cut(room int, reset bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.cut, l.reset, l.room, l.heal = true, reset, room, make(chan struct{})
	l.stuck.Store(false)
}

// Mend ends Cut. What was cut stays lost.
func (l *line) Mend() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.cut = false
	close(l.heal)
}

func (l *line) carry(near *net.TCPConn) {
	defer func() { _ = near.Close() }()
	server, err := net.Dial("tcp", l.to)
	if err != nil {
		return
	}
	defer func() { _ = server.Close() }()
	go func() {
		l.copy(near, server, false)
		_ = near.Close()
	}()
	l.copy(server, near, true)
}

func (l *line) copy(to, from net.Conn, onward bool) {
	buffer := make([]byte, 32<<10)
	for {
		n, err := from.Read(buffer)
		if err != nil {
			return
		}
		n, heal := l.lets(n, onward)
		if _, err := to.Write(buffer[:n]); err != nil {
			return
		}
		if heal == nil {
			continue
		}
		l.stuck.Store(true)
		if l.reset {
			_ = from.(*net.TCPConn).SetLinger(0)
			return
		}
		<-heal
		return
	}
}

// lets is how much of n bytes may pass; heal is not nil when the line is cut
// there.
func (l *line) lets(n int, onward bool) (allowed int, heal <-chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case !l.cut, onward && n <= l.room:
		if l.cut {
			l.room -= n
		}
		return n, nil
	case !onward && l.room > 0: // answers pass until then
		return n, nil
	}
	allowed, l.room = l.room, 0
	if !onward {
		allowed = 0
	}
	return allowed, l.heal
}

// film is one of so many bytes, like no other number's.
func film(n uint64, size int) []byte {
	content := make([]byte, size/8*8)
	random := rand.New(rand.NewPCG(n, n))
	for i := 0; i < len(content); i += 8 {
		for j, v := 0, random.Uint64(); j < 8; j++ {
			content[i+j] = byte(v >> (8 * j))
		}
	}
	head := "\x00\x00\x00\x20ftypisom\x00\x00\x02\x00isomiso2avc1mp41" + "\x00\x00\x00\x00mdat" // a box that goes to the end
	return append([]byte(head), content...)
}

const objects = "/storage/v1/object/industry-media/"

// public reads an object as a visitor.
func public(t *testing.T, s *product.Server, name string) (status int, content []byte) {
	t.Helper()
	response, err := http.Get(s.URL + "/storage/v1/object/public/industry-media/" + name)
	require.NoError(t, err)
	defer func() { _ = response.Body.Close() }()
	content, err = io.ReadAll(response.Body)
	require.NoError(t, err)
	return response.StatusCode, content
}

// gone is the status of an object that is not there, as the storage says it.
const gone = http.StatusBadRequest

// An upload to a bucket that hangs, or goes away in the middle, fails in its
// time and leaves nothing; everybody else is served meanwhile; and all goes on
// when the bucket is back.
func TestBucketMisbehaves(t *testing.T) {
	if testing.Short() {
		t.Skip("waits for a bucket that says nothing")
	}
	t.Parallel()
	bucket := s3server.Start(t)
	content := film(1, 4<<20)
	for name, cut := range map[string]struct {
		room  int
		reset bool
	}{
		"takes connections and nothing else": {0, false},
		"takes half and is silent":           {2 << 20, false},
		"takes half and resets":              {2 << 20, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			object := fmt.Sprintf("healthcare/%d_%t.mp4", cut.room, cut.reset)
			wire, address := lay(t, bucket)
			server := product.Start(t, t.TempDir(), "SIMORA_MEDIA_URL="+address, "SIMORA_ADMIN_EMAIL="+boss, "SIMORA_ADMIN_PASSWORD="+password)
			warm(t, server)
			token := signIn(t, server)
			wire.Cut(cut.room, cut.reset)

			failed := make(chan string, 1)
			began := time.Now()
			go func() {
				status, said := send(t, server, objects+object, token, "video/mp4", content)
				failed <- fmt.Sprint(status, said)
			}()
			l := &learner{}
			for range 3 {
				assert.Equal(t, http.StatusOK, l.say(t.Context(), t, server))
				assert.Equal(t, http.StatusOK, get(t, server.URL+"/industries/healthcare"))
				assert.Equal(t, http.StatusOK, get(t, server.URL+"/readyz"))
			}
			said := <-failed
			t.Logf("%v until it was refused", time.Since(began).Round(time.Millisecond))
			assert.True(t, strings.HasPrefix(said, "503"), said)
			assert.Contains(t, said, `"code":"unavailable"`)
			assert.NotContains(t, said, wire.address)
			assert.True(t, wire.stuck.Load())

			wire.Mend()
			require.Eventually(t, func() bool {
				status, _ := public(t, server, object)
				return status == gone
			}, 30*time.Second, 50*time.Millisecond, "nothing is there, not half of it either")
			require.Eventually(t, func() bool {
				status, said := send(t, server, objects+object, token, "video/mp4", content)
				return assert.Equal(t, http.StatusOK, status, said)
			}, 30*time.Second, 50*time.Millisecond)
			status, got := public(t, server, object)
			assert.Equal(t, http.StatusOK, status)
			assert.True(t, bytes.Equal(content, got))
		})
	}
}

// A media folder that takes no writes is told as such, leaves no row, serves
// what it has, and takes uploads when it can be written again.
func TestMediaFolderIsReadOnly(t *testing.T) {
	dir := t.TempDir()
	folder := filepath.Join(dir, "media")
	require.NoError(t, os.Mkdir(folder, 0o700))
	lock := lockable(t, folder)
	lock(true)
	server := product.Start(t, dir, "SIMORA_ADMIN_EMAIL="+boss, "SIMORA_ADMIN_PASSWORD="+password)
	token := signIn(t, server)
	refused := func(n int) {
		status, said := upload(t, server, token, n)
		assert.Equal(t, http.StatusServiceUnavailable, status, said)
		assert.NotContains(t, said, dir)
		_, said = send(t, server, "/functions/v1/admin-get-audit", token, "application/json", []byte(`{}`))
		assert.NotContains(t, said, fmt.Sprintf("%d_a.png", n), "nothing is recorded that was not done")
		status, _ = public(t, server, fmt.Sprintf("healthcare/%d_a.png", n))
		assert.Equal(t, gone, status)
	}
	refused(1)
	require.Eventually(t, func() bool {
		_, said := send(t, server, "/functions/v1/admin-get-health", token, "application/json", []byte(`{}`))
		return strings.Contains(said, `"name":"storage","state":"failing"`) && (os.Geteuid() != 0 || strings.Contains(said, `"lastError":"mounted read-only"`))
	}, time.Minute, 100*time.Millisecond, "health says so")

	lock(false)
	status, said := upload(t, server, token, 1)
	require.Equal(t, http.StatusOK, status, said)
	lock(true)
	refused(2)
	status, _ = public(t, server, "healthcare/1_a.png")
	assert.Equal(t, http.StatusOK, status)
}

// lockable makes a folder one that can be made read-only and writable again: by
// a mount for root, whom no permission stops, and by permissions for others.
func lockable(t *testing.T, folder string) (lock func(readOnly bool)) {
	t.Helper()
	if os.Geteuid() != 0 {
		lock = func(readOnly bool) {
			mode := os.FileMode(0o700)
			if readOnly {
				mode = 0o500
			}
			require.NoError(t, filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
				if err != nil || !d.IsDir() {
					return err
				}
				return os.Chmod(path, mode)
			}))
		}
		t.Cleanup(func() { lock(false) }) // or it can't be removed
		return lock
	}
	if err := syscall.Mount(folder, folder, "", syscall.MS_BIND, ""); err != nil {
		t.Skip("this machine lets nobody mount: ", err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(folder, syscall.MNT_DETACH) })
	return func(readOnly bool) {
		flags := uintptr(syscall.MS_BIND | syscall.MS_REMOUNT)
		if readOnly {
			flags |= syscall.MS_RDONLY
		}
		require.NoError(t, syscall.Mount("", folder, "", flags, ""))
	}
}

// An upload that the process is killed in is public whole or not at all; no row
// of the gallery is without its file; and what is left goes after a day.
func TestKilledInAnUpload(t *testing.T) {
	if testing.Short() {
		t.Skip("kills processes for a while")
	}
	t.Run("disk", func(t *testing.T) { killUploads(t, nil, "") })
	t.Run("s3", func(t *testing.T) {
		wire, address := lay(t, s3server.Start(t))
		killUploads(t, wire, address)
	})
}

// offered is an upload, and what was acknowledged of it.
type offered struct {
	name             string
	content          []byte
	stored, inserted bool
}

func (o *offered) kind() string { return media.Kind(o.name) }

// offer uploads and enters it into the gallery, as the console does.
func (o *offered) offer(s *product.Server, token string) {
	o.stored = post(s, objects+o.name, token, o.kind(), bytes.NewReader(o.content)) == http.StatusOK
	if o.stored {
		row := fmt.Sprintf(`{"file_name":"x","file_path":%q,"file_type":"video","industry":"healthcare","display_order":0}`, o.name)
		o.inserted = post(s, "/rest/v1/gallery_media", token, "application/json", strings.NewReader(row)) == http.StatusCreated
	}
}

// post is the status of a call; 0 without an answer.
func post(s *product.Server, path, token, kind string, body io.Reader) int {
	r, err := http.NewRequest(http.MethodPost, s.URL+path, body)
	if err != nil {
		return 0
	}
	r.Header.Set("Apikey", s.Key)
	r.Header.Set("Authorization", "Bearer "+token)
	r.Header.Set("Content-Type", kind)
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0
	}
	_ = response.Body.Close()
	return response.StatusCode
}

func killUploads(t *testing.T, wire *line, address string) {
	dir := t.TempDir()
	env := []string{"SIMORA_MEDIA_URL=" + address, "SIMORA_ADMIN_EMAIL=" + boss, "SIMORA_ADMIN_PASSWORD=" + password}
	drafts := filepath.Join(dir, "media", ".incoming")
	var mu sync.Mutex
	var all []*offered
	add := func(ending string, content []byte) *offered {
		mu.Lock()
		defer mu.Unlock()
		o := &offered{name: fmt.Sprintf("healthcare/%d%s", len(all), ending), content: content}
		all = append(all, o)
		return o
	}
	random := rand.New(rand.NewPCG(3, 4))
	for range *uploadKills {
		server := product.Start(t, dir, env...)
		token := signIn(t, server)
		dead := make(chan struct{})
		var wg sync.WaitGroup
		for i := range 3 {
			wg.Go(func() {
				for n := 0; ; n++ {
					o := add(".mp4", film(uint64(n), 1<<20))
					if i == 0 {
						var picture bytes.Buffer
						assert.NoError(t, png.Encode(&picture, image.NewGray(image.Rect(0, 0, 1200+n, 100))))
						o = add(".png", picture.Bytes())
					}
					o.offer(server, token)
					select {
					case <-dead:
						return
					default:
					}
				}
			})
		}
		time.Sleep(time.Duration(50+random.IntN(300)) * time.Millisecond) // until some random moment of the work
		server.Kill()
		close(dead)
		wg.Wait()
	}

	// And once surely in the middle: of what comes, or of what goes to the bucket.
	server := product.Start(t, dir, env...)
	token := signIn(t, server)
	half := add(".mp4", film(1, 4<<20))
	body, sender := io.Pipe()
	go func() { _, _ = sender.Write(half.content[:len(half.content)/2]) }()
	arrives := len(entries(t, drafts))
	ended := make(chan int, 2)
	go func() { ended <- post(server, objects+half.name, token, half.kind(), body) }()
	require.Eventually(t, func() bool { return len(entries(t, drafts)) > arrives }, 30*time.Second, 5*time.Millisecond)
	if wire != nil {
		wire.Cut(2<<20, false)
		o := add(".mp4", film(2, 4<<20))
		go func() { ended <- post(server, objects+o.name, token, o.kind(), bytes.NewReader(o.content)) }()
		require.Eventually(t, wire.stuck.Load, 30*time.Second, 5*time.Millisecond)
	}
	server.Kill()
	require.NoError(t, sender.CloseWithError(io.ErrUnexpectedEOF)) // or the client waits for the rest
	require.Zero(t, <-ended, "no answer")
	if wire != nil {
		require.Zero(t, <-ended)
		wire.Mend()
	}

	server = product.Start(t, dir, env...)
	stored, inserted := 0, map[string]bool{}
	for _, o := range all {
		status, content := public(t, server, o.name)
		switch status {
		case http.StatusOK:
			assert.True(t, bytes.Equal(o.content, content), "whole: %s", o.name)
		case gone:
			assert.False(t, o.stored, "acknowledged: %s", o.name)
		default:
			t.Errorf("%d %s", status, content)
		}
		if o.stored {
			stored++
			assert.Equal(t, http.StatusOK, get(t, server.URL+"/storage/v1/render/image/public/industry-media/"+o.name))
		}
		if o.inserted {
			inserted[o.name] = true
		}
	}
	server.Kill()
	left := len(entries(t, drafts))
	require.Positive(t, left, "the test must have had something to sweep")

	keys, err := keyring.Load(filepath.Join(dir, keyring.FileName))
	require.NoError(t, err)
	s, err := store.Open(t.Context(), store.Options{Dir: dir, Keyring: keys, Log: slog.Default()})
	require.NoError(t, err)
	defer func() { require.NoError(t, s.Close()) }()
	shown, err := s.MediaPaths(t.Context())
	require.NoError(t, err)
	for name := range inserted {
		assert.True(t, shown[name], "an acknowledged row is there")
	}
	library, err := media.Open(filepath.Join(dir, "media"), address, nil)
	require.NoError(t, err)
	defer func() { require.NoError(t, library.Close()) }()
	swept, err := library.RemoveOrphans(t.Context(), time.Now().Add(25*time.Hour), s.MediaPaths)
	require.NoError(t, err)
	assert.Empty(t, entries(t, drafts))
	for _, o := range all {
		object, err := library.Get(t.Context(), o.name)
		if shown[o.name] {
			require.NoError(t, err, "no row is without its file")
			require.NoError(t, object.Close())
		} else {
			require.ErrorIs(t, err, fs.ErrNotExist)
		}
	}
	t.Logf("%d kills, %d uploads, %d acknowledged, %d in the gallery; %d drafts and %d files swept", *uploadKills+1, len(all), stored, len(shown), left, swept)
	require.Greater(t, stored, *uploadKills)
}

func entries(t *testing.T, dir string) []os.DirEntry {
	t.Helper()
	found, err := os.ReadDir(dir)
	if !os.IsNotExist(err) {
		require.NoError(t, err)
	}
	return found
}
