package hooks_test

import (
	"bytes"
	"os"
	"regexp"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"simora/server/hooks"
	"simora/server/store"
)

// The schema that receivers are given describes what is sent, and nothing else.
func TestBodiesFitTheDocumentedSchema(t *testing.T) {
	page, err := os.ReadFile("../../docs/integrations.md")
	require.NoError(t, err)
	block := regexp.MustCompile("(?s)```json\n(.*?)```").FindSubmatch(page)
	require.NotNil(t, block)
	text, err := jsonschema.UnmarshalJSON(bytes.NewReader(block[1]))
	require.NoError(t, err)
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	require.NoError(t, compiler.AddResource("event.json", text))
	schema, err := compiler.Compile("event.json")
	require.NoError(t, err)

	events := hooks.Events{}
	sess, report := run()
	finished, err := events.RunFinished(sess, report, start)
	require.NoError(t, err)
	contact, err := events.ContactReceived(store.ContactMessage{ID: sess.ID, ReceivedAt: start, Reason: "demo", ContactBody: store.ContactBody{Name: "Ada", Email: "ada@b.example", Message: "Hi"}})
	require.NoError(t, err)
	mailed, err := events.LetterSent(store.Queued{ID: "q", Kind: "report", SessionID: sess.ID, Letter: store.Letter{To: "ada@b.example"}}, start)
	require.NoError(t, err)
	ping, err := hooks.Ping("1", "h", start)
	require.NoError(t, err)
	for _, body := range [][]byte{finished[0].Body, contact[0].Body, contact[0].Personal, mailed[0].Body, mailed[0].Personal, ping.Body} {
		v, err := jsonschema.UnmarshalJSON(bytes.NewReader(body))
		require.NoError(t, err)
		require.NoError(t, schema.Validate(v), "%s", body)
		v.(map[string]any)["data"].(map[string]any)["more"] = 1
		assert.Error(t, schema.Validate(v), "%s", body)
	}
}
