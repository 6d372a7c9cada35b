package hooks

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"code.dny.dev/ssrf"

	"simora/server/outbound"
)

const maxURL = 2000

// CheckURL says what is wrong with a webhook's address, for people; empty when
// nothing is. private allows loopback, also without https.
func CheckURL(text string, private bool) string {
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Hostname() == "" || len(text) > maxURL || strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' }):
		return "Enter an address such as https://example.com/hooks."
	case u.User != nil:
		return "Leave user name and password out of the address: deliveries are signed."
	case u.Fragment != "":
		return "Leave out the part behind #: it is never sent."
	case u.Scheme == "https", u.Scheme == "http" && private && loopback(u.Hostname()):
		return ""
	}
	return "Use an address that starts with https://."
}

func loopback(host string) bool {
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.IsLoopback()
}

const (
	attemptTime   = 10 * time.Second // less than the store's lease
	maxHeader     = 16 << 10
	maxAnswerRead = 4 << 10
)

// errRedirect is what a receiver gets that answers with another address.
var errRedirect = errors.New("the receiver answered with a redirect, which is not followed: name the final address here")

// abroad is the way to webhooks: not into private networks, unless private says so.
func abroad(network *outbound.Network, private bool) *http.Client {
	if private {
		return client(network.Beyond(nil))
	}
	return client(network.Beyond(ssrf.New(ssrf.WithAnyPort()).Safe))
}

func client(transport *http.Transport) *http.Client {
	transport.DisableCompression, transport.MaxResponseHeaderBytes = true, maxHeader
	return &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

// reason is a failure in a few words for the log: not the address, which may
// hold a secret.
func reason(err error) string {
	var u *url.Error
	if errors.As(err, &u) {
		err = u.Err
	}
	var timeout net.Error
	var dns *net.DNSError
	switch {
	case errors.Is(err, ssrf.ErrProhibitedIP):
		return "the address leads into a private network; SIMORA_HOOKS_PRIVATE=true would allow it"
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &timeout) && timeout.Timeout():
		return "no answer in time"
	case errors.As(err, &dns):
		return "the name of the receiver cannot be found"
	}
	return err.Error()
}
