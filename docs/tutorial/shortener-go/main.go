// Command shortener-go gives short hashes to URLs, and finds URLs by their hashes in PostgreSQL.
package main

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"golang.org/x/net/netutil"
)

const (
	maxConnections = 6_000 // more wait in the kernel's queue
	stopTimeout    = 9 * time.Second
)

func main() {
	log := slog.New(slog.NewJSONHandler(os.Stderr, nil))
	if err := run(context.Background(), os.Getenv, log); err != nil {
		log.Error("the server ends", "error", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, getenv func(string) string, log *slog.Logger) error {
	ctx, release := signal.NotifyContext(ctx, syscall.SIGINT, syscall.SIGTERM)
	defer release() // not before: else a second signal ends the process at once

	settings, err := readSettings(getenv)
	if err != nil {
		return err
	}
	pool, err := pgxpool.NewWithConfig(ctx, settings.postgres) // connects when a request needs it
	if err != nil {
		return err
	}

	listener, err := net.Listen("tcp", settings.address)
	if err != nil {
		return fmt.Errorf("cannot listen on HOST and PORT: %w", err)
	}
	server := newServer(newAPI(&links{pool: pool, log: log}, log), log)
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(netutil.LimitListener(listener, maxConnections)) }()
	log.Info("listening", "address", listener.Addr().String())

	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	log.Info("stopping", "cause", context.Cause(ctx).Error())
	ctx, cancel := context.WithTimeout(context.Background(), stopTimeout)
	defer cancel()
	if err := server.Shutdown(ctx); err != nil {
		log.Warn("requests were under way and are cut", "after", stopTimeout.String())
		server.Close()
	}
	go func() { pool.Close(); cancel() }() // it waits for PostgreSQL, which may be away
	<-ctx.Done()
	log.Info("stopped")
	return nil
}

// newServer is the HTTP server with its limits.
func newServer(handler http.Handler, log *slog.Logger) *http.Server {
	return &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: 10 * time.Second,
		ReadTimeout:       20 * time.Second, // head and body
		WriteTimeout:      40 * time.Second, // from the end of the head: the body, the database, the answer
		IdleTimeout:       50 * time.Second,
		MaxHeaderBytes:    8 << 10,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelError),
	}
}
