package mail

import (
	"context"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/mail"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	fake "simora/server/fakes/smtp"
	"simora/server/store"
)

const from = "Simora <reports@simora.test>"

func letter() store.Letter {
	return store.Letter{To: "sam@hospital.test", ReplyTo: "", Subject: "Your report: Wörter & more", Text: "Guten Tag\nA line.", HTML: "<p>Guten Tag</p>", MessageID: "<0b4ec7a5-1@simora.test>"}
}

// outcome is a sender together with a look at what came out at its other end.
type outcome struct {
	sender Sender
	raw    func() []string
}

func senders(t *testing.T) map[string]func() outcome {
	return map[string]func() outcome{
		"files": func() outcome {
			dir := filepath.Join(t.TempDir(), "outbox")
			f, err := newFiles(dir, from)
			require.NoError(t, err)
			return outcome{f, func() (all []string) {
				names, err := filepath.Glob(filepath.Join(dir, "*"))
				require.NoError(t, err)
				for _, name := range names {
					info, err := os.Stat(name)
					require.NoError(t, err)
					assert.Equal(t, os.FileMode(0o600), info.Mode().Perm())
					assert.Equal(t, ".eml", filepath.Ext(name))
					raw, err := os.ReadFile(name)
					require.NoError(t, err)
					all = append(all, string(raw))
				}
				return all
			}}
		},
		"smtp": func() outcome {
			server := &fake.Server{}
			server.Start(t, "127.0.0.1")
			s, err := newSMTP("smtp://127.0.0.1:"+server.Port, from)
			require.NoError(t, err)
			s.roots = server.Roots
			return outcome{s, func() (all []string) {
				for _, r := range server.Received() {
					assert.Equal(t, "reports@simora.test", r.From)
					require.Len(t, r.To, 1)
					all = append(all, r.Data)
				}
				return all
			}}
		},
	}
}

// The promise of every Sender.
func TestSenders(t *testing.T) {
	for name, build := range senders(t) {
		t.Run(name+"/whole", func(t *testing.T) {
			o := build()
			require.NoError(t, o.sender.Send(t.Context(), letter()))
			all := o.raw()
			require.Len(t, all, 1)
			m, err := mail.ReadMessage(strings.NewReader(all[0]))
			require.NoError(t, err)
			for _, header := range []string{"From", "To", "Subject", "Date", "Message-Id", "Mime-Version"} {
				assert.Len(t, m.Header[header], 1, header)
			}
			assert.Equal(t, letter().MessageID, m.Header.Get("Message-Id"))
			assert.Empty(t, m.Header.Get("X-Mailer"))
			subject, err := new(mime.WordDecoder).DecodeHeader(m.Header.Get("Subject"))
			require.NoError(t, err)
			assert.Equal(t, letter().Subject, subject)
			assert.Equal(t, []string{"text/plain", "text/html"}, parts(t, m))
		})
		t.Run(name+"/again", func(t *testing.T) {
			o := build()
			require.NoError(t, o.sender.Send(t.Context(), letter()))
			require.NoError(t, o.sender.Send(t.Context(), letter()))
			for _, raw := range o.raw() {
				assert.Contains(t, raw, letter().MessageID, "a reader can tell that it is the same")
			}
		})
		t.Run(name+"/hostile", func(t *testing.T) {
			o := build()
			for _, to := range []string{"a@b.test\r\nBcc: c@d.test", "a@b.test>,<c@d.test", "a@b.test, c@d.test", "\"a@evil>\"@b.test,x@y.test", ""} {
				l := letter()
				l.To = to
				var refused *Refused
				err := o.sender.Send(t.Context(), l)
				assert.ErrorAs(t, err, &refused, to)
			}
			l := letter()
			l.Subject = "Hello\r\nBcc: c@d.test"
			if err := o.sender.Send(t.Context(), l); err == nil {
				for _, raw := range o.raw() {
					m, err := mail.ReadMessage(strings.NewReader(raw))
					require.NoError(t, err)
					assert.Empty(t, m.Header.Get("Bcc"))
				}
			}
		})
		t.Run(name+"/cancelled", func(t *testing.T) {
			o := build()
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			err := o.sender.Send(ctx, letter())
			require.Error(t, err)
			var refused *Refused
			assert.False(t, errors.As(err, &refused), "a shutdown is no refusal")
			assert.Empty(t, o.raw())
		})
	}
}

func parts(t *testing.T, m *mail.Message) (kinds []string) {
	media, parameters, err := mime.ParseMediaType(m.Header.Get("Content-Type"))
	require.NoError(t, err)
	require.Equal(t, "multipart/alternative", media)
	r := multipart.NewReader(m.Body, parameters["boundary"])
	for {
		part, err := r.NextPart()
		if errors.Is(err, io.EOF) {
			return kinds
		}
		require.NoError(t, err)
		kind, _, err := mime.ParseMediaType(part.Header.Get("Content-Type"))
		require.NoError(t, err)
		kinds = append(kinds, kind)
	}
}

// How a mail server fails decides whether the letter is tried again, and no
// error repeats who it was for.
func TestSMTPFailures(t *testing.T) {
	permanent := func(to string) *fake.Answer { return fake.Permanent(to) }
	temporary := func(to string) *fake.Answer { return fake.Temporary(to) }
	full := func(string) *fake.Answer { return &fake.Answer{Code: 452, Message: "mailbox full"} }
	for _, c := range []struct {
		name    string
		server  *fake.Server
		cert    string
		url     string // %s is the port
		refused bool
	}{
		{"550 is for good", &fake.Server{Recipient: permanent}, "127.0.0.1", "smtp://127.0.0.1:%s", true},
		{"451 may pass", &fake.Server{Recipient: temporary}, "127.0.0.1", "smtp://127.0.0.1:%s", false},
		{"452 may pass", &fake.Server{Recipient: full}, "127.0.0.1", "smtp://127.0.0.1:%s", false},
		{"dropped before it was confirmed", &fake.Server{BreakAfterData: true}, "127.0.0.1", "smtp://127.0.0.1:%s", false},
		{"no STARTTLS offered", &fake.Server{}, "", "smtp://127.0.0.1:%s", false},
		{"somebody else's certificate", &fake.Server{}, "evil.test", "smtp://127.0.0.1:%s", false},
		{"wrong password", &fake.Server{Password: "right"}, "127.0.0.1", "smtp://us:wrong@127.0.0.1:%s", false},
		{"nobody listens", &fake.Server{}, "", "smtp://127.0.0.1:1?tls=none", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.server.Start(t, c.cert)
			s, err := newSMTP(strings.ReplaceAll(c.url, "%s", c.server.Port), from)
			require.NoError(t, err)
			s.roots = c.server.Roots
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
			defer cancel()
			err = s.Send(ctx, letter())
			require.Error(t, err)
			var refused *Refused
			assert.Equal(t, c.refused, errors.As(err, &refused), "%v", err)
			assert.NotContains(t, err.Error(), "sam@hospital.test")
			assert.NotContains(t, err.Error(), "wrong")
			if !c.server.BreakAfterData {
				assert.Empty(t, c.server.Received())
			}
		})
	}
}

func TestSMTPSignsIn(t *testing.T) {
	server := fake.Server{Password: "right"}
	server.Start(t, "127.0.0.1")
	s, err := newSMTP("smtp://us:right@127.0.0.1:"+server.Port, from)
	require.NoError(t, err)
	s.roots = server.Roots
	require.NoError(t, s.Send(t.Context(), letter()))
	assert.Len(t, server.Received(), 1)
}

func TestSMTPAddresses(t *testing.T) {
	for text, port := range map[string]string{
		"smtp://mail.test":               "587",
		"smtps://mail.test":              "465",
		"smtp://u:p%40ss@mail.test:2525": "2525",
		"smtp://mail.test:25?tls=none":   "25",
	} {
		a, err := parseSMTPURL(text)
		require.NoError(t, err, text)
		assert.Equal(t, port, a.port, text)
	}
	for _, text := range []string{"mail.test:587", "http://mail.test", "smtp://", "smtp://u:canary@mail.test/path", "smtp://u:canary@mail.test?tls=maybe", "smtps://u:canary@mail.test?tls=none", "::"} {
		_, err := parseSMTPURL(text)
		require.ErrorContains(t, err, "smtps://", text)
		assert.NotContains(t, err.Error(), "canary")
	}
}
