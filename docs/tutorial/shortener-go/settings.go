package main

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
)

const (
	poolSize         = 10
	connectTimeout   = 4 * time.Second
	statementTimeout = 4 * time.Second
)

// settings are what the environment says.
type settings struct {
	address  string
	postgres *pgxpool.Config
}

// readSettings returns an error that names the setting which cannot be used.
func readSettings(getenv func(string) string) (settings, error) {
	port, err := strconv.ParseUint(getenv("PORT"), 10, 16)
	if err != nil || port == 0 {
		return settings{}, fmt.Errorf("PORT must be a number from 1 to 65535, not %q", getenv("PORT"))
	}
	postgres, err := poolConfig(getenv("POSTGRES_URL"))
	if err != nil {
		return settings{}, fmt.Errorf("POSTGRES_URL %w", err)
	}
	host := cmp.Or(getenv("HOST"), "127.0.0.1")
	return settings{net.JoinHostPort(host, getenv("PORT")), postgres}, nil
}

// poolConfig is the pool for a URL. Its errors do not have the URL, which may hold a password.
func poolConfig(text string) (*pgxpool.Config, error) {
	u, err := url.Parse(text)
	if err != nil || (u.Scheme != "postgres" && u.Scheme != "postgresql") || u.Hostname() == "" || len(u.Path) < 2 {
		return nil, errors.New("must look like postgres://user@host:5432/database")
	}
	config, err := pgxpool.ParseConfig(text)
	if err != nil {
		return nil, fmt.Errorf("cannot be used: %w", err) // pgx leaves out the password
	}
	config.MaxConns = poolSize
	config.ConnConfig.ConnectTimeout = connectTimeout
	config.ConnConfig.RuntimeParams["statement_timeout"] = strconv.FormatInt(statementTimeout.Milliseconds(), 10)
	return config, nil
}
