package mail

import (
	"context"
	"encoding/base64"
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
	"simora/server/outbound"
	"simora/server/store"
)

const from = "Simora <reports@simora.test>"

func letter() store.Letter {
	return store.Letter{
		To: "sam@hospital.test", Subject: "Your report: Wörter & more",
		Text: "Guten Tag, Zoë\n.\n..two dots\n" + strings.Repeat("a long line ", 200) + "\nFrom here = there", HTML: "<p>Guten Tag, Zoë</p>\n.\n",
		MessageID: "<0b4ec7a5-1@simora.test>",
	}
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
			f, err := newFiles(dir, from, nil)
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
			s, err := newSMTP(SenderOptions{SMTPURL: "smtp://127.0.0.1:" + server.Port, From: from})
			require.NoError(t, err)
			s.network = outbound.New(server.Roots, s.address.link())
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
			assert.Equal(t, [][2]string{{"text/plain", letter().Text}, {"text/html", letter().HTML}}, parts(t, m))
		})
		t.Run(name+"/attached", func(t *testing.T) {
			o := build()
			l, err := letters().Report(sampleRun())
			require.NoError(t, err)
			require.NoError(t, o.sender.Send(t.Context(), l))
			all := o.raw()
			require.Len(t, all, 1)
			m, err := mail.ReadMessage(strings.NewReader(all[0]))
			require.NoError(t, err)
			media, parameters, err := mime.ParseMediaType(m.Header.Get("Content-Type"))
			require.NoError(t, err)
			require.Equal(t, "multipart/mixed", media)
			r := multipart.NewReader(m.Body, parameters["boundary"])
			texts, err := r.NextPart()
			require.NoError(t, err)
			assert.Len(t, parts(t, &mail.Message{Header: mail.Header(texts.Header), Body: texts}), 2, "the letter reads as before")
			file, err := r.NextPart()
			require.NoError(t, err)
			assert.Equal(t, "simora-report-healthcare-emergency.pdf", file.FileName())
			assert.Contains(t, file.Header.Get("Content-Type"), "application/pdf")
			data, err := io.ReadAll(base64.NewDecoder(base64.StdEncoding, file))
			require.NoError(t, err)
			assert.Equal(t, l.Attachments[0].Data, data)
			opens(t, data)
			_, err = r.NextPart()
			assert.ErrorIs(t, err, io.EOF)
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
			l.ReplyTo = "a@b.test\r\nBcc: c@d.test"
			assert.ErrorAs(t, o.sender.Send(t.Context(), l), new(*Refused))
			l = letter()
			l.Subject, l.MessageID = "Hello\r\nBcc: c@d.test\r\n\r\nbody", "<1@simora.test>\r\nBcc: c@d.test"
			if err := o.sender.Send(t.Context(), l); err != nil {
				assert.Empty(t, o.raw())
				return
			}
			require.Len(t, o.raw(), 1)
			m, err := mail.ReadMessage(strings.NewReader(o.raw()[0]))
			require.NoError(t, err)
			assert.Empty(t, m.Header.Get("Bcc"))
			for _, header := range []string{"From", "To", "Subject", "Message-Id"} {
				assert.Len(t, m.Header[header], 1, header)
			}
			assert.Len(t, parts(t, m), 2)
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

// parts returns the media type and the decoded text of each.
func parts(t *testing.T, m *mail.Message) (all [][2]string) {
	media, parameters, err := mime.ParseMediaType(m.Header.Get("Content-Type"))
	require.NoError(t, err)
	require.Equal(t, "multipart/alternative", media)
	r := multipart.NewReader(m.Body, parameters["boundary"])
	for {
		part, err := r.NextPart()
		if errors.Is(err, io.EOF) {
			return all
		}
		require.NoError(t, err)
		kind, set, err := mime.ParseMediaType(part.Header.Get("Content-Type"))
		require.NoError(t, err)
		assert.Equal(t, "utf-8", strings.ToLower(set["charset"]))
		body, err := io.ReadAll(part) // decodes quoted-printable
		require.NoError(t, err)
		all = append(all, [2]string{kind, strings.ReplaceAll(string(body), "\r\n", "\n")})
	}
}

// How a mail server fails decides whether the letter is tried again, and no
// error repeats who it was for, how we signed in, or what the server said.
func TestSMTPFailures(t *testing.T) {
	for _, c := range []struct {
		name    string
		server  *fake.Server
		cert    string
		user    string
		refused bool
	}{
		{"550 is for good", &fake.Server{Recipient: fake.Permanent}, "127.0.0.1", "", true},
		{"451 may pass", &fake.Server{Recipient: fake.Temporary}, "127.0.0.1", "", false},
		{"452 may pass", &fake.Server{Recipient: full}, "127.0.0.1", "", false},
		{"530 is the operator's", &fake.Server{Recipient: signInFirst}, "127.0.0.1", "", false},
		{"dropped before it was confirmed", &fake.Server{BreakAfterData: true}, "127.0.0.1", "", false},
		{"no STARTTLS offered", &fake.Server{}, "", "", false},
		{"somebody else's certificate", &fake.Server{}, "evil.test", "", false},
		{"wrong password", &fake.Server{Password: "right"}, "127.0.0.1", "us:canary@", false},
		{"password missing", &fake.Server{Password: "right"}, "127.0.0.1", "", false},
		{"no sign-in offered", &fake.Server{}, "127.0.0.1", "us:canary@", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.server.Start(t, c.cert)
			s := senderTo(t, "smtp://"+c.user+"127.0.0.1:"+c.server.Port)
			s.network = outbound.New(c.server.Roots, s.address.link())
			fails(t, s, c.refused)
			if !c.server.BreakAfterData {
				assert.Empty(t, c.server.Received())
			}
		})
	}
}

func full(string) *fake.Answer { return &fake.Answer{Code: 452, Message: "mailbox full"} }

func signInFirst(string) *fake.Answer { return &fake.Answer{Code: 530, Message: "canary"} }

// fails sends a letter in vain.
func fails(t *testing.T, s *smtp, wantRefused bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	begin := time.Now()
	err := s.Send(ctx, letter())
	require.Error(t, err)
	assert.Less(t, time.Since(begin), patience+time.Second, "the context bounds the attempt")
	var refused *Refused
	assert.Equal(t, wantRefused, errors.As(err, &refused), "%v", err)
	assert.NotContains(t, err.Error(), "hospital.test")
	assert.NotContains(t, err.Error(), "canary")
}

// patience is for servers on loopback: long for an answer, short for silence.
const patience = 400 * time.Millisecond

func senderTo(t *testing.T, address string) *smtp {
	t.Helper()
	s, err := newSMTP(SenderOptions{SMTPURL: address, From: from})
	require.NoError(t, err)
	return s
}

// The same for servers that no library would write.
func TestSMTPMisbehaviour(t *testing.T) {
	greeting, hello, ok, more := "220 mail.test", "250 mail.test", "250 fine", "354 go on"
	for _, c := range []struct {
		name    string
		end     fake.End
		replies []string
		refused bool
	}{
		{"drops at once", fake.Drop, nil, false},
		{"silent", fake.Silent, nil, false},
		{"silent after the greeting", fake.Silent, []string{greeting}, false},
		{"tarpit", fake.Tarpit, []string{greeting}, false},
		{"tarpit at the recipient", fake.Tarpit, []string{greeting, hello, ok}, false},
		{"421 as a greeting", fake.Drop, []string{"421 canary is too busy"}, false},
		{"554 as a greeting", fake.Drop, []string{"554 canary is not served"}, false},
		{"no mail server", fake.Drop, []string{"HTTP/1.1 400 canary"}, false},
		{"sender refused", fake.Silent, []string{greeting, hello, "550 canary may not send"}, false},
		{"421 at the recipient", fake.Drop, []string{greeting, hello, ok, "421 sam@hospital.test canary"}, false},
		{"550 at the recipient and gone", fake.Drop, []string{greeting, hello, ok, "550 sam@hospital.test canary"}, true},
		{"nonsense at the recipient", fake.Drop, []string{greeting, hello, ok, "sam@hospital.test canary"}, false},
		{"drops at DATA", fake.Drop, []string{greeting, hello, ok, ok}, false},
		{"drops in the letter", fake.Drop, []string{greeting, hello, ok, ok, more}, false},
		{"silent after the letter", fake.Silent, []string{greeting, hello, ok, ok, more}, false},
		{"451 after the letter", fake.Silent, []string{greeting, hello, ok, ok, more, "451 canary"}, false},
		{"554 after the letter", fake.Silent, []string{greeting, hello, ok, ok, more, "554 5.7.1 canary looks like spam"}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			fails(t, senderTo(t, "smtp://127.0.0.1:"+fake.Script(t, c.end, c.replies...)+"?tls=none"), c.refused)
		})
	}
}

func TestNobodyListens(t *testing.T) {
	fails(t, senderTo(t, "smtp://127.0.0.1:1?tls=none"), false)
}

// A second copy would be the worse answer to a server without manners.
func TestConfirmedLetterIsSentWhateverComesAfter(t *testing.T) {
	taken := []string{"220 mail.test", "250 mail.test", "250 fine", "250 fine", "354 go on", "250 queued"}
	for name, port := range map[string]string{
		"dropped":          fake.Script(t, fake.Drop, taken...),
		"silent":           fake.Script(t, fake.Silent, taken...),
		"goodbye refused":  fake.Script(t, fake.Drop, append(taken, "500 what?")...),
		"goodbye nonsense": fake.Script(t, fake.Drop, append(taken, "bye")...),
	} {
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		assert.NoError(t, senderTo(t, "smtp://127.0.0.1:"+port+"?tls=none").Send(ctx, letter()), name)
		cancel()
	}
}

func TestSMTPSignsIn(t *testing.T) {
	for scheme, server := range map[string]*fake.Server{
		"smtp":  {Password: "right"},
		"smtps": {Password: "right", Implicit: true},
	} {
		t.Run(scheme, func(t *testing.T) {
			server.Start(t, "127.0.0.1")
			s := senderTo(t, scheme+"://us:right@127.0.0.1:"+server.Port)
			s.network = outbound.New(server.Roots, s.address.link())
			require.NoError(t, s.Send(t.Context(), letter()))
			assert.Len(t, server.Received(), 1)
		})
	}
}

// Without encryption no password leaves the house.
func TestSMTPKeepsThePasswordFromAnOpenLine(t *testing.T) {
	server := fake.Server{Password: "right"}
	server.Start(t, "")
	fails(t, senderTo(t, "smtp://us:right@127.0.0.1:"+server.Port+"?tls=none"), false)
	assert.Empty(t, server.Received())
}

func TestSMTPAddresses(t *testing.T) {
	for text, port := range map[string]int{
		"smtp://mail.test":               587,
		"smtps://mail.test":              465,
		"smtp://u:p%40ss@mail.test:2525": 2525,
		"smtp://mail.test:25?tls=none":   25,
	} {
		a, err := parseSMTPURL(text)
		require.NoError(t, err, text)
		assert.Equal(t, port, a.port, text)
	}
	for _, text := range []string{"mail.test:587", "http://mail.test", "smtp://", "smtp://u:canary@mail.test/path", "smtp://u:canary@mail.test?tls=maybe", "smtps://u:canary@mail.test?tls=none", "smtp://u:canary@mail.test:0", "smtp://u:canary@mail.test:70000", "::"} {
		_, err := parseSMTPURL(text)
		require.ErrorContains(t, err, "smtps://", text)
		assert.NotContains(t, err.Error(), "canary")
	}
}
