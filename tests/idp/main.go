// Command idp is an identity provider for the browser tests: OpenID Connect
// with real signatures, where one person is always signed in. It prints a line
// of JSON with its issuer, client id and secret.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"net"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/oauth2-proxy/mockoidc"
)

func main() {
	email := flag.String("email", "admin@simora.example", "verified address of the person")
	groups := flag.String("groups", "", "what the claim groups lists, with commas between them")
	flag.Parse()
	if err := serve(*email, strings.Split(*groups, ",")); err != nil {
		fmt.Fprintln(os.Stderr, "idp:", err)
		os.Exit(1)
	}
}

func serve(email string, groups []string) error {
	idp, err := mockoidc.NewServer(nil)
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // lives as long as the process
	if err != nil {
		return err
	}
	const visits = 20
	for range visits { // each visit takes one from the queue
		idp.QueueUser(&mockoidc.MockUser{Subject: "subject-1", Email: email, EmailVerified: true, Groups: groups})
	}
	if err := idp.Start(listener, nil); err != nil {
		return err
	}
	if err := json.NewEncoder(os.Stdout).Encode(map[string]string{"issuer": idp.Issuer(), "id": idp.ClientID, "secret": idp.ClientSecret}); err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	<-ctx.Done()
	return idp.Shutdown()
}
