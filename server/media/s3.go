package media

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"time"

	"github.com/minio/minio-go/v7"

	s3 "simora/server/bucket"
	"simora/server/outbound"
)

// bucket is one of an S3 server.
type bucket struct {
	client *minio.Client
	name   string
}

// Link is the way to the bucket of an address.
func Link(address string) (outbound.Link, error) { return s3.Link("media", address) }

func openBucket(address string, network *outbound.Network) (bucket, error) {
	found, err := s3.Open(address, network)
	if err == nil && found.Folder != "" {
		err = errors.New("found a folder after the name of the bucket; the form is s3://key:secret@host/bucket?region=eu-central-1")
	}
	return bucket{found.Client, found.Name}, err
}

// patience is how long a visitor waits for a bucket that says nothing.
const patience = 10 * time.Second

func (b bucket) look(ctx context.Context, name string) (minio.ObjectInfo, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	found, err := b.client.StatObject(ctx, b.name, name, minio.StatObjectOptions{})
	if err != nil {
		return found, b.explain("look at object", err)
	}
	return found, nil
}

func (b bucket) get(ctx context.Context, name string) (Object, error) {
	found, err := b.look(ctx, name)
	if err != nil {
		return Object{}, err
	}
	object, err := b.client.GetObject(ctx, b.name, name, minio.GetObjectOptions{})
	if err != nil {
		return Object{}, b.explain("open object", err)
	}
	return Object{object, found.Size, found.LastModified}, nil
}

func (b bucket) publish(ctx context.Context, draft *os.File, name string) error {
	size, err := draft.Seek(0, io.SeekEnd)
	if err == nil {
		_, err = draft.Seek(0, io.SeekStart)
	}
	if err != nil {
		return fmt.Errorf("publish object: %w", err)
	}
	options := minio.PutObjectOptions{ContentType: Kind(name), CacheControl: "max-age=3600", DisableMultipart: true}
	options.SetMatchETagExcept("*") // never over another object
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	// A silent bucket is not tried again: it may have taken the object.
	timer := time.AfterFunc(patience, cancel)
	defer timer.Stop()
	options.Progress = progress{timer}
	if _, err := b.client.PutObject(ctx, b.name, name, draft, size, options); err != nil {
		if minio.ToErrorResponse(err).StatusCode == http.StatusPreconditionFailed {
			return ErrExists
		}
		return b.explain("publish object", err)
	}
	return nil
}

// progress begins a wait anew whenever something moves.
type progress struct{ timer *time.Timer }

// Read is told what moved.
func (p progress) Read(moved []byte) (int, error) {
	p.timer.Reset(patience)
	return len(moved), nil
}

func (b bucket) remove(ctx context.Context, name string) (bool, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if _, err := b.look(ctx, name); errors.Is(err, fs.ErrNotExist) {
		return false, nil
	} else if err != nil {
		return false, err
	}
	if err := b.client.RemoveObject(ctx, b.name, name, minio.RemoveObjectOptions{}); err != nil {
		return false, b.explain("remove object", err)
	}
	return true, nil
}

func (b bucket) before(ctx context.Context, t time.Time) ([]string, error) {
	var names []string
	for _, folder := range folders {
		for object := range b.client.ListObjectsIter(ctx, b.name, minio.ListObjectsOptions{Prefix: folder + "/", Recursive: true}) {
			if object.Err != nil {
				return nil, b.explain("list objects", object.Err)
			}
			if object.LastModified.Before(t) {
				names = append(names, object.Key)
			}
		}
	}
	return names, nil
}

func (b bucket) explain(what string, err error) error {
	if minio.ToErrorResponse(err).StatusCode == http.StatusNotFound {
		return fs.ErrNotExist
	}
	return fmt.Errorf("%s: %w", what, err)
}
