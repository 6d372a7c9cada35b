// Package bucket finds an S3 bucket by its address.
package bucket

import (
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
)

// Bucket is one of an S3 server. Folder is what the names in it begin with:
// empty, or with a slash at its end.
type Bucket struct {
	Client *minio.Client
	Name   string
	Folder string
}

// Open reads s3://key:secret@host/bucket/folder?region=eu-central-1
// (s3+http:// without TLS). It does not connect. No error repeats the address:
// it holds a secret.
func Open(address string) (Bucket, error) {
	wrong := errors.New("found an address that is not of the form s3://key:secret@host/bucket?region=eu-central-1 (s3+http:// without TLS)")
	u, err := url.Parse(address)
	if err != nil || u.User == nil || u.Host == "" || (u.Scheme != "s3" && u.Scheme != "s3+http") {
		return Bucket{}, wrong
	}
	name, folder, _ := strings.Cut(strings.Trim(u.Path, "/"), "/")
	secret, given := u.User.Password()
	if name == "" || !given {
		return Bucket{}, wrong
	}
	if folder != "" {
		folder += "/"
	}
	region := u.Query().Get("region")
	if region == "" {
		region = "us-east-1"
	}
	client, err := minio.New(u.Host, &minio.Options{
		Creds: credentials.NewStaticV4(u.User.Username(), secret, ""), Secure: u.Scheme == "s3", Region: region, BucketLookup: minio.BucketLookupPath,
	})
	if err != nil {
		return Bucket{}, fmt.Errorf("bucket: %w", err)
	}
	return Bucket{client, name, folder}, nil
}
