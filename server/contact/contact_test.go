package contact_test

import (
	"bufio"
	"encoding/json"
	"io"
	"log/slog"
	"mime"
	"net/http"
	"net/http/httptest"
	netmail "net/mail"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"simora/server/api"
	"simora/server/api/accounts"
	"simora/server/api/functions"
	"simora/server/api/objects"
	"simora/server/api/tables"
	"simora/server/contact"
	"simora/server/fakes/smtp"
	"simora/server/guard"
	"simora/server/keyring"
	"simora/server/mail"
	"simora/server/store"
)

const key = "sb_publishable_for_the_tests"

// desk is the contact function over HTTP, with a real store and mail server.
type desk struct {
	http  http.Handler
	store *store.Store
	mail  *smtp.Server
	post  *mail.Postman
	now   time.Time
}

func open(t *testing.T, limits float64) *desk {
	t.Helper()
	dir := t.TempDir()
	keys, err := keyring.Load(filepath.Join(dir, keyring.FileName))
	require.NoError(t, err)
	log := slog.New(slog.DiscardHandler)
	s, err := store.Open(t.Context(), store.Options{Dir: dir, Keyring: keys, Log: log, Exclusive: true})
	require.NoError(t, err)
	t.Cleanup(func() { _ = s.Close() })
	d := &desk{store: s, mail: &smtp.Server{}, now: time.Date(2026, 6, 1, 9, 0, 0, 0, time.UTC)}
	d.mail.Start(t, "")
	sender, err := mail.NewSender(mail.SenderOptions{SMTPURL: "smtp://127.0.0.1:" + d.mail.Port + "?tls=none", From: "Simora <reports@simora.test>"})
	require.NoError(t, err)
	now := func() time.Time { return d.now }
	d.post = mail.NewPostman(s, sender, now, log)
	messages := &contact.Messages{
		Store: s, Mail: d.post, Letters: mail.Letters{Brand: "Simora", PublicURL: "https://simora.test"}, To: "hello@simora.test",
		Log: log, Now: now, NewID: uuid.NewString,
	}
	d.http = api.Handler(api.Options{Keys: []string{key}, Limiter: guard.NewLimits(limits), Log: log}, api.Table(accounts.Accounts{}, functions.Functions{Contact: messages}, tables.Tables{}, objects.Objects{}))
	return d
}

func (d *desk) call(body string, header ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodPost, "/functions/v1/send-contact-email", strings.NewReader(body))
	r.Header.Set("Apikey", key)
	r.Header.Set("Authorization", "Bearer "+key)
	r.Header.Set("Content-Type", "application/json")
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	d.http.ServeHTTP(w, r)
	return w
}

// send posts the body and returns status, code and error message.
func (d *desk) send(body string, header ...string) (status int, code, message string) {
	w := d.call(body, header...)
	var answer struct {
		Success bool   `json:"success"`
		Error   string `json:"error"`
		Code    string `json:"code"`
	}
	_ = json.Unmarshal(w.Body.Bytes(), &answer)
	if w.Code == http.StatusOK && !answer.Success {
		return w.Code, "no success", w.Body.String()
	}
	return w.Code, answer.Code, answer.Error
}

func (d *desk) stored(t *testing.T) []store.ContactMessage {
	t.Helper()
	all, err := d.store.ContactMessages(t.Context(), 100)
	require.NoError(t, err)
	return all
}

func form(changes map[string]any) string {
	fields := map[string]any{"name": "Ada Okoye", "email": "ada@hospital.test", "organization": "St Mary’s", "reason": "demo", "message": "We train\ntriage nurses."}
	for name, value := range changes {
		if value == nil {
			delete(fields, name)
		} else {
			fields[name] = value
		}
	}
	raw, _ := json.Marshal(fields)
	return string(raw)
}

func TestMessageIsStoredAndMailedToTheCompany(t *testing.T) {
	d := open(t, 1000)
	status, _, problem := d.send(form(map[string]any{"email": " Ada@Hospital.test "}))
	require.Equal(t, http.StatusOK, status, problem)

	kept := d.stored(t)
	require.Len(t, kept, 1)
	assert.Equal(t, store.ContactBody{Name: "Ada Okoye", Email: "Ada@hospital.test", Organization: "St Mary’s", Message: "We train\ntriage nurses."}, kept[0].ContactBody)
	assert.Equal(t, "demo", kept[0].Reason)

	got := d.mail.Received()
	require.Len(t, got, 1)
	assert.Equal(t, "reports@simora.test", got[0].From)
	assert.Equal(t, []string{"hello@simora.test"}, got[0].To, "the visitor gets no letter")
	header, body := read(t, got[0].Data)
	assert.Equal(t, "<Ada@hospital.test>", header.Get("Reply-To"))
	assert.Equal(t, "Contact (demo): Ada Okoye, St Mary’s", decoded(t, header.Get("Subject")))
	assert.Contains(t, body, "triage nurses.")
}

func read(t *testing.T, data string) (netmail.Header, string) {
	t.Helper()
	m, err := netmail.ReadMessage(bufio.NewReader(strings.NewReader(data)))
	require.NoError(t, err)
	body, err := io.ReadAll(m.Body)
	require.NoError(t, err)
	return m.Header, string(body)
}

func decoded(t *testing.T, header string) string {
	t.Helper()
	text, err := new(mime.WordDecoder).DecodeHeader(header)
	require.NoError(t, err)
	return text
}

func TestOrganizationIsOptional(t *testing.T) {
	d := open(t, 1000)
	for _, body := range []string{form(map[string]any{"organization": nil}), form(map[string]any{"organization": ""}), strings.Replace(form(nil), `"St Mary’s"`, "null", 1)} {
		status, _, problem := d.send(body)
		assert.Equal(t, http.StatusOK, status, problem)
	}
	assert.Len(t, d.stored(t), 3)
}

func TestWhatIsRefused(t *testing.T) {
	d := open(t, 1000)
	long := func(n int) string { return strings.Repeat("x", n) }
	for name, c := range map[string]struct {
		change  map[string]any
		code    string
		message string
	}{
		"no name":                            {map[string]any{"name": nil}, "validation_failed", "name: Enter your name"},
		"blank name":                         {map[string]any{"name": "  \n "}, "validation_failed", "name: "},
		"long name":                          {map[string]any{"name": long(201)}, "validation_failed", "name: "},
		"name of two lines":                  {map[string]any{"name": "A\r\nBcc: v@x.test"}, "validation_failed", "name: "},
		"name of unseen marks":               {map[string]any{"name": "\x01\u202e\x07"}, "validation_failed", "name: "},
		"name of two lines, by another mark": {map[string]any{"name": "A\u2028B"}, "validation_failed", "name: "},
		"organization of two lines":          {map[string]any{"organization": "A\rB"}, "validation_failed", "organization: "},
		"name is a list":                     {map[string]any{"name": []string{"A"}}, "bad_request", "name must be a string"},
		"no email":                           {map[string]any{"email": nil}, "validation_failed", "email: Enter your email"},
		"not an address":                     {map[string]any{"email": "ada"}, "validation_failed", "email: "},
		"two addresses":                      {map[string]any{"email": "a@x.test, b@x.test"}, "validation_failed", "email: "},
		"list of addresses":                  {map[string]any{"email": []string{"a@x.test", "b@x.test"}}, "bad_request", "email must be a string"},
		"address with a header":              {map[string]any{"email": "a@x.test\r\nBcc: b@x.test"}, "validation_failed", "email: "},
		"quoted local part":                  {map[string]any{"email": `"a@x.test>,<b"@x.test`}, "validation_failed", "email: "},
		"long organization":                  {map[string]any{"organization": long(201)}, "validation_failed", "organization: "},
		"address with a NUL":                 {map[string]any{"email": "a\x00@x.test"}, "bad_request", "zero character"},
		"email is an object":                 {map[string]any{"email": map[string]any{"$ne": 1}}, "bad_request", "email must be a string"},
		"no reason":                          {map[string]any{"reason": nil}, "validation_failed", "reason: Choose"},
		"unknown reason":                     {map[string]any{"reason": "sales"}, "validation_failed", "reason: "},
		"no message":                         {map[string]any{"message": nil}, "validation_failed", "message: "},
		"blank message":                      {map[string]any{"message": " \n\t "}, "validation_failed", "message: "},
		"long message":                       {map[string]any{"message": long(5001)}, "validation_failed", "message: "},
		"message is a number":                {map[string]any{"message": 5}, "bad_request", "message must be a string"},
		"all of it":                          {map[string]any{"name": "", "email": "x", "reason": "", "message": ""}, "validation_failed", "name: Enter your name, up to 200 characters. email: "},
	} {
		status, code, message := d.send(form(c.change))
		assert.Equal(t, http.StatusBadRequest, status, name)
		assert.Equal(t, c.code, code, name)
		assert.Contains(t, message, c.message, name)
	}
	status, code, _ := d.send(`{"name":"A","name":"B"}`)
	assert.Equal(t, http.StatusBadRequest, status)
	assert.Equal(t, "bad_request", code)
	assert.Empty(t, d.stored(t))
	assert.Empty(t, d.mail.Received())
}

// Whatever somebody writes, the letter has one of each header and goes to one
// mailbox.
func TestHostileTextStaysText(t *testing.T) {
	d := open(t, 1000)
	for _, hostile := range []string{
		"=?utf-8?q?Bcc:_victim=40x.test?=", "Ada\u202Eksrever", "<script>alert(1)</script>", strings.Repeat("😀", 200), "Ada\x01\x07", `"; DROP TABLE`, "{{.Brand}}",
	} {
		before := len(d.mail.Received())
		status, _, problem := d.send(form(map[string]any{"name": hostile, "organization": hostile, "message": hostile + "\r\n.\r\nBcc: victim@x.test"}))
		require.Equal(t, http.StatusOK, status, "%q: %s", hostile, problem)
		got := d.mail.Received()
		require.Len(t, got, before+1)
		assert.Equal(t, []string{"hello@simora.test"}, got[before].To)
		header, body := read(t, got[before].Data)
		for _, name := range []string{"From", "To", "Subject", "Reply-To", "Message-Id", "Date"} {
			assert.Len(t, header[name], 1, "%s of %q", name, hostile)
		}
		assert.Empty(t, header["Bcc"])
		assert.Empty(t, header["Cc"])
		_, rich, found := strings.Cut(body, "text/html")
		require.True(t, found)
		assert.NotContains(t, rich, "<script>")
		assert.NotContains(t, decoded(t, header.Get("Subject")), "\u202E")
	}
}

func TestStoredMessageIsPromised(t *testing.T) {
	t.Run("mail server is down for now", func(t *testing.T) {
		d := open(t, 1000)
		d.mail.Recipient = smtp.Temporary
		status, _, _ := d.send(form(nil))
		assert.Equal(t, http.StatusOK, status)
		assert.Len(t, d.stored(t), 1)
		assert.Empty(t, d.mail.Received())

		d.mail.Recipient = nil
		d.now = d.now.Add(2 * time.Minute)
		require.NoError(t, d.post.Drain(t.Context()))
		assert.Len(t, d.mail.Received(), 1, "tried again")
	})
	t.Run("company's mailbox refuses", func(t *testing.T) {
		d := open(t, 1000)
		d.mail.Recipient = smtp.Permanent
		status, code, _ := d.send(form(nil), "Idempotency-Key", "k-1")
		assert.Equal(t, http.StatusBadGateway, status)
		assert.Equal(t, "email_failed", code)
		assert.Len(t, d.stored(t), 1, "kept for the console")
		status, code, _ = d.send(form(nil), "Idempotency-Key", "k-1")
		assert.Equal(t, http.StatusBadGateway, status, "a repetition is told the same")
		assert.Equal(t, "email_failed", code)
		assert.Len(t, d.stored(t), 1, "a repetition is no second message")
	})
}

func TestOnlyLayoutIsTakenFromAMessage(t *testing.T) {
	d := open(t, 1000)
	status, _, problem := d.send(form(map[string]any{"name": "\tAda\tOkoye\x07 ", "reason": " demo ", "message": " One\rTwo\r\n\tThree\x1b\u2028Four\n"}))
	require.Equal(t, http.StatusOK, status, problem)
	got := d.stored(t)[0]
	assert.Equal(t, "Ada Okoye", got.Name)
	assert.Equal(t, "demo", got.Reason)
	assert.Equal(t, "One\nTwo\n\tThree\nFour", got.Message)
}

// Nothing that could not be kept is called sent.
func TestNothingIsPromisedWithoutAStore(t *testing.T) {
	d := open(t, 1000)
	require.NoError(t, d.store.Close())
	status, code, _ := d.send(form(nil))
	assert.GreaterOrEqual(t, status, 500, code)
	assert.Empty(t, d.mail.Received())
}

func TestRepeatedRequestIsOneMessage(t *testing.T) {
	d := open(t, 1000)
	for range 3 {
		status, _, _ := d.send(form(nil), "Idempotency-Key", "k-1")
		assert.Equal(t, http.StatusOK, status)
	}
	assert.Len(t, d.stored(t), 1)
	assert.Len(t, d.mail.Received(), 1)
	status, code, _ := d.send(form(map[string]any{"message": "Another."}), "Idempotency-Key", "k-1")
	assert.Equal(t, http.StatusUnprocessableEntity, status)
	assert.Equal(t, "idempotency_key_reused", code)
}

func TestWhatAMachineFillsInIsKeptAndNotMailed(t *testing.T) {
	d := open(t, 1000)
	status, _, _ := d.send(form(map[string]any{"reference": "https://spam.test"}))
	assert.Equal(t, http.StatusOK, status, "it learns nothing")
	require.Len(t, d.stored(t), 1)
	assert.True(t, d.stored(t)[0].Suspicious)
	require.NoError(t, d.post.Drain(t.Context()))
	assert.Empty(t, d.mail.Received())
}

func TestOneAddressCanNotFloodTheCompany(t *testing.T) {
	d := open(t, 1)
	limited := 0
	for range 40 {
		if status, code, _ := d.send(form(nil)); status == http.StatusTooManyRequests {
			assert.Equal(t, "rate_limited", code)
			limited++
		}
	}
	w := d.call(form(nil))
	seconds, err := strconv.Atoi(w.Header().Get("Retry-After"))
	require.NoError(t, err)
	assert.InDelta(t, 180, seconds, 5, "twenty an hour are one in three minutes")
	assert.Equal(t, 30, limited)
	assert.Len(t, d.stored(t), 10)
}
