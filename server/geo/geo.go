// Package geo tells roughly where an address is, from a file on this machine.
// Nobody is asked.
package geo

import (
	"fmt"
	"net/netip"

	"github.com/oschwald/geoip2-golang/v2"
)

// Locator reads a city database in MaxMind's format. The zero value knows
// nothing.
type Locator struct{ file *geoip2.Reader }

// Open reads the file; an empty path is the locator that knows nothing.
func Open(path string) (*Locator, error) {
	if path == "" {
		return &Locator{}, nil
	}
	file, err := geoip2.Open(path)
	if err != nil {
		return nil, fmt.Errorf("location file %s: %w", path, err)
	}
	return &Locator{file}, nil
}

// Close gives the file back.
func (l *Locator) Close() error {
	if l.file == nil {
		return nil
	}
	return l.file.Close()
}

// Locate returns the English names of city and country, empty where they are
// not known.
func (l *Locator) Locate(address string) (city, country string) {
	ip, err := netip.ParseAddr(address)
	if l.file == nil || err != nil {
		return "", ""
	}
	found, err := l.file.City(ip)
	if err != nil || found == nil {
		return "", ""
	}
	return found.City.Names.English, found.Country.Names.English
}
