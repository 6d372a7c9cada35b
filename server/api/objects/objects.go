// Package objects is the room of /storage/v1: the files of the galleries.
package objects

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"mime"
	"mime/multipart"
	"net/http"
	"path"
	"strconv"
	"time"

	"github.com/google/uuid"

	"simora/server/media"
	"simora/server/sim"
	"simora/server/wire"
)

// Objects serves them.
type Objects struct {
	Media *media.Library
	Audit func(context.Context, ...sim.Event) error
}

const (
	keep         = "public, max-age=3600"
	transferTime = time.Hour
)

// uploadTime is for 100 MiB over a slow line.
const uploadTime = time.Hour

// Upload stores an object. The bytes come as the one file of a form, or as the
// whole body; they are streamed.
func (o Objects) Upload(w http.ResponseWriter, r *http.Request, _ wire.Call) error {
	name := r.PathValue("name")
	if r.ContentLength > media.MaxBytes+formBytes {
		return tooLarge()
	}
	control := http.NewResponseController(w)
	for _, extend := range []func(time.Time) error{control.SetReadDeadline, control.SetWriteDeadline} {
		if err := extend(time.Now().Add(uploadTime)); err != nil && !errors.Is(err, http.ErrNotSupported) {
			return fmt.Errorf("allow time to receive: %w", err)
		}
	}
	content, err := fileIn(http.MaxBytesReader(w, r.Body, media.MaxBytes+formBytes), r)
	if err != nil {
		return err
	}
	if err := o.Media.Put(r.Context(), name, arriving{content}); err != nil {
		return putError(name, err)
	}
	// What is refused here is in no gallery, and is deleted after a day.
	if err := o.Audit(r.Context(), sim.Event{Action: sim.MediaUploaded, Object: "file " + name}); err != nil {
		return err
	}
	return wire.WriteJSON(w, http.StatusOK, map[string]string{"Id": uuid.NewString(), "Key": media.Bucket + "/" + name})
}

const formBytes = 64 << 10 // around the file

// fileIn finds the file of a form; its field has no name. Any other body is
// the file.
func fileIn(body io.Reader, r *http.Request) (io.Reader, error) {
	kind, parameters, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || kind != "multipart/form-data" {
		return body, nil //nolint:nilerr // not a form
	}
	form := multipart.NewReader(body, parameters["boundary"])
	for {
		part, err := form.NextPart()
		if err != nil {
			return nil, &sim.Error{Kind: sim.Invalid, Code: "InvalidRequest", Message: "No content provided"}
		}
		if part.FileName() != "" {
			return part, nil
		}
	}
}

var errBrokeOff = &sim.Error{Kind: sim.Invalid, Code: "InvalidRequest", Message: "The upload broke off"}

// arriving tells what is the sender's fault from what is the disk's or the
// bucket's.
type arriving struct{ io.Reader }

func (a arriving) Read(p []byte) (int, error) {
	n, err := a.Reader.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		err = errBrokeOff.Because(err)
	}
	return n, err
}

func tooLarge() error {
	return &sim.Error{Kind: sim.TooLarge, Code: "EntityTooLarge", Message: "The object exceeded the maximum allowed size of 100 MB"}
}

func putError(name string, err error) error {
	var kind *media.KindError
	var cut *http.MaxBytesError
	switch {
	case errors.Is(err, media.ErrName):
		return &sim.Error{Kind: sim.Invalid, Code: "InvalidKey", Message: "Invalid key: " + sim.Cut(name, 200)}
	case errors.Is(err, media.ErrExists):
		return &sim.Error{Kind: sim.Conflict, Code: "KeyAlreadyExists", Message: "The resource already exists"}
	case errors.Is(err, media.ErrTooLarge), errors.As(err, &cut):
		return tooLarge()
	case errors.Is(err, media.ErrEmpty):
		return &sim.Error{Kind: sim.Invalid, Code: "InvalidRequest", Message: "No content provided"}
	case errors.As(err, &kind):
		return &sim.Error{Kind: sim.Unsupported, Code: "InvalidMimeType", Message: kind.Error()}
	case errors.Is(err, errBrokeOff):
		return err
	}
	return sim.ErrUnavailable.Because(err) // the disk or the bucket
}

const mostRemoved = 1000

type removal struct {
	Prefixes []string `json:"prefixes"`
}

// Remove deletes objects by their exact names and lists those that were there.
func (o Objects) Remove(w http.ResponseWriter, r *http.Request, c wire.Call) error {
	var in removal
	if err := wire.ReadJSON(w, r, c.Route.Body, &in); err != nil {
		return err
	}
	if len(in.Prefixes) == 0 || len(in.Prefixes) > mostRemoved {
		return &sim.Error{Kind: sim.Invalid, Code: "InvalidRequest", Message: "prefixes must name 1 to 1000 objects"}
	}
	var events []sim.Event
	for _, name := range in.Prefixes {
		events = append(events, sim.Event{Action: sim.MediaDeleted, Object: "file " + name})
	}
	if err := o.Audit(r.Context(), events...); err != nil { // before: what is not recorded is not done
		return err
	}
	removed := []map[string]any{}
	for _, name := range in.Prefixes {
		was, err := o.Media.Remove(r.Context(), name)
		if err != nil {
			return sim.ErrUnavailable.Because(err)
		}
		if was {
			removed = append(removed, map[string]any{"name": name, "bucket_id": media.Bucket})
		}
	}
	return wire.WriteJSON(w, http.StatusOK, removed)
}

// Facts tells the console what is known of an object.
func (o Objects) Facts(w http.ResponseWriter, r *http.Request, _ wire.Call) error {
	name := r.PathValue("name")
	facts, err := o.Media.Look(r.Context(), name)
	if err != nil {
		return getError(name, err)
	}
	metadata := map[string]int{}
	if facts.Width > 0 {
		metadata["width"], metadata["height"] = facts.Width, facts.Height
	}
	return wire.WriteJSON(w, http.StatusOK, map[string]any{
		"name": name, "bucket_id": media.Bucket, "size": facts.Size, "content_type": facts.Kind, "cache_control": keep,
		"etag": tag(facts.ModTime, facts.Size), "last_modified": facts.ModTime.UTC(), "metadata": metadata,
	})
}

func getError(name string, err error) error {
	switch {
	case errors.Is(err, media.ErrName):
		return &sim.Error{Kind: sim.Invalid, Code: "InvalidKey", Message: "Invalid key: " + sim.Cut(name, 200)}
	case errors.Is(err, fs.ErrNotExist):
		return &sim.Error{Kind: sim.NotFound, Code: "NoSuchKey", Message: "Object not found"}
	}
	return sim.ErrUnavailable.Because(err) // the disk or the bucket
}

// tag tells objects apart, which are never overwritten, by time and size.
func tag(modified time.Time, size int64) string {
	return fmt.Sprintf(`"%x-%x"`, modified.UnixNano(), size)
}

// Public sends an object to anybody: whole or a range of it.
func (o Objects) Public(w http.ResponseWriter, r *http.Request, _ wire.Call) error {
	name := r.PathValue("name")
	f, err := o.Media.Get(r.Context(), name)
	if err != nil {
		return getError(name, err)
	}
	return send(w, r, f, media.Kind(name))
}

// Rendered sends a picture no wider than the thumbnails, unless more is asked
// for by the width parameter.
func (o Objects) Rendered(w http.ResponseWriter, r *http.Request, c wire.Call) error {
	name := r.PathValue("name")
	width := media.ThumbnailWidth
	if wanted := r.URL.Query().Get("width"); wanted != "" {
		var err error
		if width, err = strconv.Atoi(wanted); err != nil || width < 1 || width > mostWidth {
			return &sim.Error{Kind: sim.Invalid, Code: "InvalidRequest", Message: "width must be a whole number from 1 to 2500"}
		}
	}
	if width > media.ThumbnailWidth {
		return o.Public(w, r, c)
	}
	f, kind, err := o.Media.Thumbnail(r.Context(), name)
	if err != nil {
		return getError(name, err)
	}
	return send(w, r, f, kind)
}

const mostWidth = 2500

// send sends an object with its exact type, unable to do anything as a
// document.
func send(w http.ResponseWriter, r *http.Request, f media.Object, kind string) error {
	name := r.PathValue("name")
	defer func() { _ = f.Close() }()
	h := w.Header()
	h.Set("Content-Type", kind)
	h.Set("Cache-Control", keep)
	h.Set("X-Robots-Tag", "none")
	h.Set("ETag", tag(f.ModTime, f.Size))
	if download := r.URL.Query(); download.Has("download") {
		as := path.Base(name)
		if wanted := download.Get("download"); wanted != "" {
			as = wanted
		}
		h.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": sim.Cut(as, 200)}))
	}
	// A film on a slow line takes longer than any other answer.
	err := http.NewResponseController(w).SetWriteDeadline(time.Now().Add(transferTime))
	if err != nil && !errors.Is(err, http.ErrNotSupported) {
		return fmt.Errorf("allow time to send: %w", err)
	}
	http.ServeContent(w, r, "", f.ModTime, f)
	return nil
}
