// Package bucket finds an S3 bucket by its address.
package bucket

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"simora/server/outbound"
)

// Bucket is one of an S3 server. Folder is what the names in it begin with:
// empty, or with a slash at its end.
type Bucket struct {
	Client *minio.Client
	Name   string
	Folder string
}

const (
	plainScheme = "s3+http"
	attempts    = 3 // the library's ten keep a visitor waiting for a server that is down
	silence     = 20 * time.Second
)

// Link is the way to the bucket of an address; name says what it is for.
func Link(name, address string) (outbound.Link, error) {
	u, err := parse(address)
	if err != nil {
		return outbound.Link{}, err
	}
	return linkTo(name, u), nil
}

func linkTo(name string, u *url.URL) outbound.Link {
	scheme := "https"
	if u.Scheme == plainScheme {
		scheme = "http"
	}
	return outbound.HTTP(name, &url.URL{Scheme: scheme, Host: u.Host})
}

// parse reads the address. No error repeats it: it holds a secret.
func parse(address string) (*url.URL, error) {
	wrong := errors.New("found an address that is not of the form s3://key:secret@host/bucket?region=eu-central-1 (s3+http:// without TLS)")
	u, err := url.Parse(address)
	if err != nil || u.User == nil || u.Host == "" || (u.Scheme != "s3" && u.Scheme != plainScheme) {
		return nil, wrong
	}
	if _, given := u.User.Password(); !given || strings.Trim(u.Path, "/") == "" {
		return nil, wrong
	}
	return u, nil
}

// Open reads s3://key:secret@host/bucket/folder?region=eu-central-1
// (s3+http:// without TLS). It does not connect. What it does later goes
// through network; nil: one with this bucket only.
func Open(address string, network *outbound.Network) (Bucket, error) {
	u, err := parse(address)
	if err != nil {
		return Bucket{}, err
	}
	link := linkTo("bucket", u)
	if network == nil {
		network = outbound.New(nil, link)
	}
	transport := network.Transport()
	transport.DisableCompression = true // an object's own gzip stays as it is
	transport.DialContext = impatiently(network.DialContext)
	name, folder, _ := strings.Cut(strings.Trim(u.Path, "/"), "/")
	if folder != "" {
		folder += "/"
	}
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
		return Bucket{}, fmt.Errorf("bucket: %w", err)
	}
	return Bucket{client, name, folder}, nil
}

type dial func(ctx context.Context, network, address string) (net.Conn, error)

// impatiently dials connections that end when nothing has moved on them for a
// while, however long the whole takes: the library waits for ever.
func impatiently(next dial) dial {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		c, err := next(ctx, network, address)
		if err != nil {
			return nil, err
		}
		return impatient{c}, nil
	}
}

type impatient struct{ net.Conn }

func (c impatient) Read(p []byte) (int, error) {
	if err := c.wait(); err != nil {
		return 0, err
	}
	return c.Conn.Read(p)
}

func (c impatient) Write(p []byte) (int, error) {
	if err := c.wait(); err != nil {
		return 0, err
	}
	return c.Conn.Write(p)
}

// wait begins anew, also for a Read that waits while much is written.
func (c impatient) wait() error { return c.SetDeadline(time.Now().Add(silence)) }
