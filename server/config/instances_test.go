package config_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestInstancesSettings(t *testing.T) {
	const replica, database = "--database-replica-url=postgres://app:canary@replica/x", "--database-url=postgres://app:canary@db/x"
	for name, c := range map[string]struct {
		args []string
		want string // of the error; empty: accepted
	}{
		"a delay":               {[]string{"--drain-delay=1500ms"}, ""},
		"no delay":              {[]string{"--drain-delay=0s"}, ""},
		"a negative delay":      {[]string{"--drain-delay=-1s"}, "0s for none"},
		"a number":              {[]string{"--drain-delay=5"}, "such as 5s"},
		"a delay of a day":      {[]string{"--drain-delay=24h"}, "an hour at most"},
		"a replica":             {[]string{database, replica}, ""},
		"a replica of nothing":  {[]string{replica}, "SIMORA_DATABASE_URL is not set"},
		"not a replica address": {[]string{database, "--database-replica-url=mysql://app:canary@db/x"}, "SIMORA_DATABASE_REPLICA_URL"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := parse(t, c.args...)
			if c.want == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, c.want)
			assert.NotContains(t, err.Error(), "canary")
		})
	}
	got, err := parse(t, "--drain-delay=1500ms")
	require.NoError(t, err)
	assert.EqualValues(t, 1500*time.Millisecond, got.DrainDelay)
}
