package shelf

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"

	"simora/server/bucket"
)

// s3 keeps each record as an object.
type s3 struct{ bucket.Bucket }

// openBucket refuses a bucket that keeps what is deleted. A server that has no
// versions, or does not tell, is believed.
func openBucket(ctx context.Context, b bucket.Bucket) (Shelf, error) {
	there, err := b.Client.BucketExists(ctx, b.Name)
	if err != nil {
		return nil, fmt.Errorf("open shelf: %w", err)
	}
	if !there {
		return nil, fmt.Errorf("open shelf: there is no bucket %q: create it", b.Name)
	}
	if versions, err := b.Client.GetBucketVersioning(ctx, b.Name); err == nil && versions.Status != "" {
		return nil, fmt.Errorf("the bucket %q keeps old versions, so that nothing in it can be destroyed: give one without versioning", b.Name)
	}
	return s3{b}, nil
}

func (s s3) Get(ctx context.Context, name string) (value []byte, err error) {
	if err := check(name); err != nil {
		return nil, err
	}
	object, err := s.Client.GetObject(ctx, s.Name, s.Folder+name, minio.GetObjectOptions{})
	if err != nil {
		return nil, explain("read record", err)
	}
	defer func() { err = errors.Join(err, object.Close()) }()
	if value, err = io.ReadAll(object); err != nil {
		return nil, explain("read record", err)
	}
	return value, nil
}

func (s s3) Create(ctx context.Context, name string, value []byte) error {
	var options minio.PutObjectOptions
	options.SetMatchETagExcept("*") // never over another object
	for tries := 1; ; tries++ {
		err := s.put(ctx, name, value, options)
		if !errors.Is(err, fs.ErrExist) || tries == createTries {
			return err
		}
		// Who came first may not be done yet, and may fail.
		if _, read := s.Get(ctx, name); !errors.Is(read, fs.ErrNotExist) {
			return errors.Join(err, read)
		}
		select {
		case <-time.After(createPause):
		case <-ctx.Done():
			return fmt.Errorf("write record: %w", ctx.Err())
		}
	}
}

const (
	createTries = 20
	createPause = 50 * time.Millisecond
)

func (s s3) Put(ctx context.Context, name string, value []byte) error {
	return s.put(ctx, name, value, minio.PutObjectOptions{})
}

func (s s3) put(ctx context.Context, name string, value []byte, options minio.PutObjectOptions) error {
	if err := check(name); err != nil {
		return err
	}
	options.DisableMultipart = true
	if _, err := s.Client.PutObject(ctx, s.Name, s.Folder+name, bytes.NewReader(value), int64(len(value)), options); err != nil {
		return explain("write record", err)
	}
	return nil
}

func (s s3) Delete(ctx context.Context, name string) error {
	if err := check(name); err != nil {
		return err
	}
	err := explain("delete record", s.Client.RemoveObject(ctx, s.Name, s.Folder+name, minio.RemoveObjectOptions{}))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

func (s s3) List(ctx context.Context, prefix string) ([]string, error) {
	names := []string{}
	for object := range s.Client.ListObjectsIter(ctx, s.Name, minio.ListObjectsOptions{Prefix: s.Folder + prefix, Recursive: true}) {
		if object.Err != nil {
			return nil, explain("list records", object.Err)
		}
		if name := strings.TrimPrefix(object.Key, s.Folder); check(name) == nil {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names, nil
}

func explain(what string, err error) error {
	switch status := minio.ToErrorResponse(err).StatusCode; {
	case err == nil:
		return nil
	case status == http.StatusNotFound:
		return fmt.Errorf("%s: %w", what, fs.ErrNotExist)
	case status == http.StatusPreconditionFailed, status == http.StatusConflict: // 409: two at the same moment
		return fmt.Errorf("%s: %w", what, fs.ErrExist)
	}
	return fmt.Errorf("%s: %w", what, err)
}
