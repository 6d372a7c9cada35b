package network_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"simora/server/contact"
	"simora/server/fakes/llm"
	"simora/server/fakes/smtp"
	"simora/server/session"
	"simora/server/sim"
	"simora/tests/product"
)

// inside marks the run of this test in the namespace.
const inside = "SIMORA_TEST_OFFLINE"

// The whole product works on a machine whose only network is itself, and
// connects to nothing but what is configured.
func TestWholeRunWithoutAnOutsideNetwork(t *testing.T) {
	if os.Getenv(inside) == "" {
		inNamespace(t)
		return
	}
	loopbackUp(t)
	_, err := net.Dial("tcp", "192.0.2.1:80")
	require.ErrorIs(t, err, syscall.ENETUNREACH, "this is no network without an outside")

	model, mail := llm.Start(t, llm.Good), &smtp.Server{}
	mail.Start(t, "")
	const password = "a long first password 7"
	trace := filepath.Join(t.TempDir(), "trace")
	dir, settings := t.TempDir(), []string{
		"SIMORA_LLM_BASE_URL=" + model.URL, "SIMORA_LLM_MODEL=fake", "SIMORA_SMTP_URL=smtp://127.0.0.1:" + mail.Port + "?tls=none",
		"SIMORA_CONTACT_TO=hello@simora.test", "SIMORA_ADMIN_EMAIL=admin@simora.test", "SIMORA_ADMIN_PASSWORD=" + password,
		"HTTP_PROXY=http://192.0.2.9:3128", "HTTPS_PROXY=http://192.0.2.9:3128", "ALL_PROXY=socks5://192.0.2.9:1080",
	}
	_, err = exec.LookPath("strace")
	traced := err == nil
	var server *product.Server
	if traced {
		server = product.StartTraced(t, trace, dir, settings...)
	} else {
		server = product.Start(t, dir, settings...)
	}

	for _, page := range []string{"/", "/platform", "/privacy", "/contact", "/sitemap.xml", "/config.json"} {
		response, err := http.Get(server.URL + page)
		require.NoError(t, err)
		_ = response.Body.Close()
		assert.Equal(t, http.StatusOK, response.StatusCode, page)
	}
	var started session.Started
	call(t, server, "session-start", session.StartInput{ScenarioSlug: "healthcare-emergency"}, &started)
	for _, message := range []string{"Hello Rosa, I'm Anna, your nurse.", "Are you allergic to aspirin?"} {
		var turn session.TurnOutput
		call(t, server, "session-turn", session.TurnInput{SessionID: started.SessionID, UserMessage: message}, &turn)
		assert.NotEmpty(t, turn.NPCMessage)
	}
	var report sim.Report
	call(t, server, "session-complete", session.CompleteInput{SessionID: started.SessionID}, &report)
	assert.NotEmpty(t, report.Criteria)
	var sent struct{ Success bool }
	call(t, server, "send-report-email", session.ReportMailInput{SessionID: started.SessionID, UserEmail: "sam@hospital.test"}, &sent)
	call(t, server, "send-contact-email", contact.Input{Name: "Sam", Email: "sam@hospital.test", Reason: "demo", Message: "Please call."}, &sent)
	signIn(t, server, "admin@simora.test", password)
	require.Equal(t, 0, server.Stop())
	assert.NotEmpty(t, model.Requests())
	assert.Len(t, mail.Received(), 2, "the report and the contact message")

	if !traced {
		t.Log("there is no strace here: what the process connected to was not read")
		return
	}
	modelAddress, err := url.Parse(model.URL)
	require.NoError(t, err)
	peers := connected(t, trace)
	assert.ElementsMatch(t, []string{modelAddress.Port(), mail.Port}, peers, "ports on the loopback interface")
}

func call(t *testing.T, server *product.Server, function string, in, out any) {
	t.Helper()
	_, err := server.Call(t.Context(), function, "", in, out)
	require.NoError(t, err)
}

// signIn goes into the console.
func signIn(t *testing.T, server *product.Server, email, password string) {
	t.Helper()
	ask := func(method, path, bearer string, in, out any) {
		body, err := json.Marshal(in)
		require.NoError(t, err)
		r, err := http.NewRequestWithContext(t.Context(), method, server.URL+path, bytes.NewReader(body))
		require.NoError(t, err)
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Apikey", server.Key)
		r.Header.Set("Authorization", "Bearer "+bearer)
		response, err := http.DefaultClient.Do(r)
		require.NoError(t, err)
		defer func() { _ = response.Body.Close() }()
		require.Equal(t, http.StatusOK, response.StatusCode, path)
		require.NoError(t, json.NewDecoder(response.Body).Decode(out))
	}
	var grant struct {
		Token string `json:"access_token"`
	}
	ask(http.MethodPost, "/auth/v1/token?grant_type=password", server.Key, map[string]string{"email": email, "password": password}, &grant)
	var overview map[string]any
	ask(http.MethodPost, "/functions/v1/admin-get-overview", grant.Token, map[string]any{}, &overview)
	assert.NotEmpty(t, overview)
}

// inNamespace runs this test again, alone on a network of its own.
func inNamespace(t *testing.T) {
	again := exec.CommandContext(t.Context(), os.Args[0], "-test.v", "-test.run=^"+t.Name()+"$")
	again.Env = append(os.Environ(), inside+"=1")
	again.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNET, Pdeathsig: syscall.SIGKILL}
	if os.Geteuid() != 0 {
		again.SysProcAttr.Cloneflags |= syscall.CLONE_NEWUSER
		again.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}}
		again.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}}
	}
	out, err := again.CombinedOutput()
	if errors.Is(err, fs.ErrPermission) {
		t.Skipf("this machine allows no network namespace, which the test needs (root, or user namespaces): %v", err)
	}
	t.Logf("%s", out)
	require.NoError(t, err)
	require.Contains(t, string(out), "--- PASS: "+t.Name(), "it ran")
}

func loopbackUp(t *testing.T) {
	t.Helper()
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM, 0)
	require.NoError(t, err)
	defer func() { _ = unix.Close(fd) }()
	lo, err := unix.NewIfreq("lo")
	require.NoError(t, err)
	lo.SetUint16(unix.IFF_UP | unix.IFF_RUNNING)
	require.NoError(t, unix.IoctlIfreq(fd, unix.SIOCSIFFLAGS, lo))
}

var peer = regexp.MustCompile(`connect\(\d+, \{sa_family=AF_INET6?, sin6?_port=htons\((\d+)\).*?"([0-9a-f.:]+)"`)

// connected are the ports that a trace says were connected to. One that is not
// on this machine fails the test.
func connected(t *testing.T, trace string) (ports []string) {
	t.Helper()
	text, err := os.ReadFile(trace)
	require.NoError(t, err)
	seen := map[string]bool{}
	for _, line := range strings.Split(string(text), "\n") {
		if !strings.Contains(line, "connect(") {
			continue
		}
		found := peer.FindStringSubmatch(line)
		if !assert.NotNil(t, found, "neither IPv4 nor IPv6: %s", line) {
			continue
		}
		assert.True(t, net.ParseIP(found[2]).IsLoopback(), line)
		if !seen[found[1]] {
			seen[found[1]] = true
			ports = append(ports, found[1])
		}
	}
	return ports
}
