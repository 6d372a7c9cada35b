// Package objects is the room of /storage/v1: the files of the galleries.
package objects

import (
	"errors"
	"fmt"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"time"

	"simora/server/media"
	"simora/server/sim"
	"simora/server/wire"
)

// Objects serves them.
type Objects struct {
	Media *media.Disk
}

const (
	keep         = "public, max-age=3600"
	transferTime = time.Hour
)

// Public sends an object to anybody: whole or a range of it, with its exact
// type, unable to do anything as a document.
func (o Objects) Public(w http.ResponseWriter, r *http.Request, _ wire.Call) error {
	name := r.PathValue("name")
	f, err := o.Media.Get(name)
	switch {
	case errors.Is(err, media.ErrName):
		return &sim.Error{Kind: sim.Invalid, Code: "InvalidKey", Message: "Invalid key: " + sim.Cut(name, 200)}
	case errors.Is(err, fs.ErrNotExist):
		return &sim.Error{Kind: sim.NotFound, Code: "NoSuchKey", Message: "Object not found"}
	case err != nil:
		return err
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return fmt.Errorf("look at object: %w", err)
	}
	h := w.Header()
	h.Set("Content-Type", media.Kind(name))
	h.Set("Cache-Control", keep)
	h.Set("X-Robots-Tag", "none")
	// Objects are never overwritten: size and time tell them apart.
	h.Set("ETag", fmt.Sprintf(`"%x-%x"`, info.ModTime().UnixNano(), info.Size()))
	if download := r.URL.Query(); download.Has("download") {
		as := path.Base(name)
		if wanted := download.Get("download"); wanted != "" {
			as = wanted
		}
		h.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": sim.Cut(as, 200)}))
	}
	// A film on a slow line takes longer than any other answer.
	err = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(transferTime))
	if err != nil && !errors.Is(err, http.ErrNotSupported) {
		return fmt.Errorf("allow time to send: %w", err)
	}
	http.ServeContent(w, r, "", info.ModTime(), f)
	return nil
}
