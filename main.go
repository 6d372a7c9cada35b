// Command simora serves training conversations with virtual humans.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"simora/server/app"
	"simora/server/config"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := app.Main(ctx, app.Process{Args: os.Args[1:], Stdout: os.Stdout, Stderr: os.Stderr, Environment: config.ProcessEnvironment})
	stop()
	os.Exit(code)
}
