package app

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"simora/server/config"
)

// What was erased is remembered as long as a backup could bring any of it back.
func TestErasuresAreRememberedAsLongAsAnythingIsKept(t *testing.T) {
	var c serveCommand
	for _, age := range []*config.Age{&c.Retention, &c.ContactRetention, &c.AuditRetention} {
		c.Retention, c.ContactRetention, c.AuditRetention = 1, 1, 1
		*age = config.Age(2 * time.Hour)
		assert.Equal(t, 2*time.Hour, c.longestKept())
	}
}
