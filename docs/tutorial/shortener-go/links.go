package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// queryTimeout is for all of an operation: to get a connection of the pool, and the answer. It is longer than
// statementTimeout, so that PostgreSQL gives up first and the connection can be used again.
const queryTimeout = 4500 * time.Millisecond

var (
	errNoLink = errors.New("no such link")
	errAway   = errors.New("the database is away")
)

// links are the links in PostgreSQL. A link never changes.
type links struct {
	pool *pgxpool.Pool
	log  *slog.Logger
	away atomic.Bool
}

// find returns the URL of a hash, or errNoLink. What is no hash is not asked for.
func (l *links) find(ctx context.Context, hash string) (url string, err error) {
	if !hashPattern.MatchString(hash) {
		return "", errNoLink
	}
	ctx, cancel := withTimeout(ctx)
	defer cancel()
	err = l.pool.QueryRow(ctx, "select url from links where hash = $1", hash).Scan(&url)
	if errors.Is(err, pgx.ErrNoRows) {
		l.report(nil)
		return "", errNoLink
	}
	return url, l.report(err)
}

// add stores a URL under a new hash. If the hash is taken, nothing is stored, and the next one is tried.
func (l *links) add(ctx context.Context, url string) (hash string, err error) {
	ctx, cancel := withTimeout(ctx)
	defer cancel()
	for {
		hash = newHash()
		tag, err := l.pool.Exec(ctx, "insert into links (hash, url) values ($1, $2) on conflict do nothing", hash, url)
		if err != nil || tag.RowsAffected() == 1 {
			return hash, l.report(err)
		}
	}
}

// ping reports whether PostgreSQL answers.
func (l *links) ping(ctx context.Context) error {
	ctx, cancel := withTimeout(ctx)
	defer cancel()
	return l.report(l.pool.Ping(ctx))
}

// withTimeout is the context of an operation. It does not end with the request: net/http ends a request's context
// when the client has closed its side, while the client may still read its answer.
func withTimeout(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), queryTimeout)
}

// report makes errAway of an error that means so. It logs an outage once, however many requests meet it.
func (l *links) report(err error) error {
	if err == nil {
		if l.away.CompareAndSwap(true, false) {
			l.log.Info("PostgreSQL answers again")
		}
		return nil
	}
	if !isAway(err) {
		return err
	}
	if l.away.CompareAndSwap(false, true) {
		l.log.Warn("PostgreSQL is away", "error", err)
	}
	return fmt.Errorf("%w: %w", errAway, err)
}

// isAway reports whether the database was not reached, did not answer in time, or refused to work at all. Any
// other error of a statement is an error of ours.
func isAway(err error) bool {
	if _, ok := errors.AsType[*pgconn.ConnectError](err); ok {
		return true
	}
	if pgErr, ok := errors.AsType[*pgconn.PgError](err); ok {
		switch pgErr.Code[:2] { // https://www.postgresql.org/docs/current/errcodes-appendix.html
		case "08", "28", "3D", "53", "57": // connection, log-in, no such database, resources, shutdown or time-out
			return true
		}
		return false
	}
	return true
}
