package faults_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"simora/server/contact"
	"simora/tests/pgserver"
	"simora/tests/product"
)

// Three instances on one database allow together what the table of calls says
// (ten contact messages at once from one address), whatever addresses the
// caller makes up.
func TestThreeInstancesLimitAsOne(t *testing.T) {
	url, dir := pgserver.Database(t), t.TempDir()
	var servers []*product.Server
	for range 3 {
		servers = append(servers, product.Start(t, dir, "SIMORA_DATABASE_URL="+url, "SIMORA_LIMIT_FACTOR=1"))
	}
	var accepted, refused atomic.Int64
	var wg sync.WaitGroup
	for i := range 45 {
		wg.Go(func() {
			server := servers[i%3]
			body, err := json.Marshal(contact.Input{Name: fmt.Sprint("Visitor ", i), Email: "visitor@example.com", Reason: "demo", Message: "Please call."})
			require.NoError(t, err)
			r, err := http.NewRequest(http.MethodPost, server.URL+"/functions/v1/send-contact-email", bytes.NewReader(body))
			require.NoError(t, err)
			for name, value := range map[string]string{"Content-Type": "application/json", "Apikey": server.Key, "Authorization": "Bearer " + server.Key} {
				r.Header.Set(name, value)
			}
			for _, name := range []string{"X-Forwarded-For", "X-Real-IP", "Forwarded", "True-Client-IP", "CF-Connecting-IP"} {
				r.Header.Set(name, fmt.Sprintf("198.51.100.%d", i))
			}
			response, err := http.DefaultClient.Do(r)
			if !assert.NoError(t, err) {
				return
			}
			defer func() { _ = response.Body.Close() }()
			switch response.StatusCode {
			case http.StatusOK:
				accepted.Add(1)
			case http.StatusTooManyRequests:
				refused.Add(1)
				assert.NotEmpty(t, response.Header.Get("Retry-After"))
			default:
				t.Errorf("%d", response.StatusCode)
			}
		})
	}
	wg.Wait()
	assert.EqualValues(t, 10, accepted.Load())
	assert.EqualValues(t, 35, refused.Load())
}
