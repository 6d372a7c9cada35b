package media

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"simora/server/outbound"
)

// bucket is one of an S3 server.
type bucket struct {
	client *minio.Client
	name   string
}

// Link is the way to the bucket of an address.
func Link(address string) (outbound.Link, error) {
	u, err := parseBucket(address)
	if err != nil {
		return outbound.Link{}, err
	}
	return linkTo(u), nil
}

func linkTo(u *url.URL) outbound.Link {
	scheme := "https"
	if u.Scheme == plainScheme {
		scheme = "http"
	}
	return outbound.HTTP("media", &url.URL{Scheme: scheme, Host: u.Host})
}

const (
	plainScheme = "s3+http"
	attempts    = 3 // the library's ten keep a visitor waiting for a server that is down
)

// parseBucket reads the address. No error repeats it: it holds a secret.
func parseBucket(address string) (*url.URL, error) {
	wrong := errors.New("found an address that is not of the form s3://key:secret@host/bucket?region=eu-central-1 (s3+http:// without TLS)")
	u, err := url.Parse(address)
	if err != nil || u.User == nil || u.Host == "" || (u.Scheme != "s3" && u.Scheme != plainScheme) {
		return nil, wrong
	}
	name := strings.Trim(u.Path, "/")
	if _, given := u.User.Password(); name == "" || strings.Contains(name, "/") || !given {
		return nil, wrong
	}
	return u, nil
}

// openBucket speaks through network; nil: one with this bucket only.
func openBucket(address string, network *outbound.Network) (bucket, error) {
	u, err := parseBucket(address)
	if err != nil {
		return bucket{}, err
	}
	link := linkTo(u)
	if network == nil {
		network = outbound.New(nil, link)
	}
	transport := network.Transport()
	transport.DisableCompression = true // an object's own gzip stays as it is
	secret, _ := u.User.Password()
	region := u.Query().Get("region")
	if region == "" {
		region = "us-east-1"
	}
	client, err := minio.New(u.Host, &minio.Options{
		Creds: credentials.NewStaticV4(u.User.Username(), secret, ""), Secure: link.Encrypted, Region: region, BucketLookup: minio.BucketLookupPath,
		Transport: transport, MaxRetries: attempts,
	})
	if err != nil {
		return bucket{}, fmt.Errorf("media bucket: %w", err)
	}
	return bucket{client, strings.Trim(u.Path, "/")}, nil
}

func (b bucket) get(ctx context.Context, name string) (Object, error) {
	found, err := b.client.StatObject(ctx, b.name, name, minio.StatObjectOptions{})
	if err != nil {
		return Object{}, b.explain("look at object", err)
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
	if _, err := b.client.PutObject(ctx, b.name, name, draft, size, options); err != nil {
		if minio.ToErrorResponse(err).StatusCode == http.StatusPreconditionFailed {
			return ErrExists
		}
		return b.explain("publish object", err)
	}
	return nil
}

func (b bucket) remove(ctx context.Context, name string) (bool, error) {
	_, err := b.client.StatObject(ctx, b.name, name, minio.StatObjectOptions{})
	if err != nil {
		err = b.explain("look at object", err)
		if errors.Is(err, fs.ErrNotExist) {
			return false, nil
		}
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
