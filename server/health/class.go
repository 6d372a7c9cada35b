package health

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io/fs"
	"net"
	"syscall"

	"simora/server/sim"
)

// class says in fixed words what sort of error it is. Its own text may name
// hosts, users and paths.
func class(err error) string {
	var network *net.OpError
	var name *net.DNSError
	var certificate *tls.CertificateVerificationError
	var authority x509.UnknownAuthorityError
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return "no answer in time"
	case errors.Is(err, syscall.ENOSPC):
		return "no space left"
	case errors.Is(err, syscall.EROFS):
		return "mounted read-only"
	case errors.Is(err, fs.ErrPermission):
		return "not permitted"
	case errors.As(err, &certificate), errors.As(err, &authority):
		return "certificate not trusted"
	case errors.As(err, &name):
		return "host name not found"
	case errors.As(err, &network):
		return "connection failed"
	case errors.Is(err, sim.ErrUnavailable):
		return "unavailable"
	}
	return "error, see the log"
}
