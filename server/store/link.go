package store

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"simora/server/outbound"
)

// Links are the ways to the database that url names: one for each host. What
// pgx would really do decides, not the words: sslmode=prefer may end in the
// clear, require and verify-ca believe a stranger's name. No error repeats the
// url: it holds a password. The name says what the database is for.
func Links(name, url string) ([]outbound.Link, error) {
	config, err := parsePostgres(url)
	if err != nil {
		return nil, err
	}
	return linksOf(name, config), nil
}

func linksOf(name string, config *pgx.ConnConfig) []outbound.Link {
	attempts := []*pgconn.FallbackConfig{{Host: config.Host, Port: config.Port, TLSConfig: config.TLSConfig}}
	var links []outbound.Link
	place := map[string]int{}
	for _, a := range append(attempts, config.Fallbacks...) {
		_, address := pgconn.NetworkAddress(a.Host, a.Port)
		encrypted := a.TLSConfig != nil
		link := outbound.Link{Name: name, Address: address, Encrypted: encrypted, Verified: encrypted && !a.TLSConfig.InsecureSkipVerify}
		i, again := place[address]
		if !again {
			place[address] = len(links)
			links = append(links, link)
			continue
		}
		links[i].Encrypted = links[i].Encrypted && link.Encrypted
		links[i].Verified = links[i].Verified && link.Verified
	}
	return links
}

func parsePostgres(url string) (*pgx.ConnConfig, error) {
	config, err := pgx.ParseConfig(url)
	if err != nil {
		if cause := errors.Unwrap(err); cause != nil {
			err = cause // without the address
		}
		return nil, fmt.Errorf("database address (postgres://user:password@host:5432/database?sslmode=verify-full): %w", err)
	}
	return config, nil
}

// through makes config dial through network; nil: one that has its hosts only.
func through(config *pgx.ConnConfig, network *outbound.Network) {
	if network == nil {
		network = outbound.New(nil, linksOf("database", config)...)
	}
	config.DialFunc = network.DialContext
	// The network knows names, not what they resolve to today.
	config.LookupFunc = func(_ context.Context, host string) ([]string, error) { return []string{host}, nil }
	for _, t := range append([]*pgconn.FallbackConfig{{TLSConfig: config.TLSConfig}}, config.Fallbacks...) {
		if t.TLSConfig != nil && t.TLSConfig.RootCAs == nil { // no sslrootcert of its own
			t.TLSConfig.RootCAs = network.Roots()
		}
	}
}
