package main

import (
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"
)

// newTestAPI has a database that is away: nothing listens on port 1.
func newTestAPI(t *testing.T) http.Handler {
	t.Helper()
	config, err := poolConfig("postgres://nobody@127.0.0.1:1/none")
	if err != nil {
		t.Fatal(err)
	}
	pool, err := pgxpool.NewWithConfig(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	log := slog.New(slog.DiscardHandler)
	return newAPI(&links{pool: pool, log: log}, log)
}

func TestProblems(t *testing.T) {
	api := newTestAPI(t)
	const jsonType = "application/json"
	tests := []struct {
		name, method, path, mediaType, body string
		status                              int
	}{
		{"lookup, database away", "GET", "/aaaaaa", "", "", 503},
		{"link, database away", "GET", "/links/aaaaaa", "", "", 503},
		{"health, database away", "GET", "/healthz", "", "", 503},
		{"create, database away", "POST", "/links", jsonType, `{"url":"http://example.org/"}`, 503},
		{"no hash", "GET", "/links/aaa", "", "", 404},
		{"malformed", "POST", "/links", jsonType, `{"url":`, 400},
		{"two values", "POST", "/links", jsonType, `{"url":"http://example.org/"} {}`, 400},
		{"wrong type", "POST", "/links", jsonType, `{"url":5}`, 400},
		{"null", "POST", "/links", jsonType, `null`, 400},
		{"no URL", "POST", "/links", jsonType, `{"url":"example.org"}`, 400},
		{"too large", "POST", "/links", jsonType, strings.Repeat(" ", maxBody+1), 413},
		{"media type", "POST", "/links", "text/plain", `{"url":"http://example.org/"}`, 415},
		{"no media type", "POST", "/links", "", `{"url":"http://example.org/"}`, 415},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			request := httptest.NewRequest(test.method, test.path, strings.NewReader(test.body))
			request.Header.Set("Content-Type", test.mediaType)
			response := httptest.NewRecorder()
			api.ServeHTTP(response, request)

			if got := response.Header().Get("Content-Type"); got != "application/problem+json" {
				t.Errorf("Content-Type is %q", got)
			}
			var got problem
			if err := json.Unmarshal(response.Body.Bytes(), &got); err != nil {
				t.Fatal(err)
			}
			if response.Code != test.status || got.Status != test.status || got.Title == "" || got.Detail == "" {
				t.Errorf("status %d, %+v; want %d", response.Code, got, test.status)
			}
		})
	}
}

func TestUnknownHashIsEmpty(t *testing.T) {
	response := httptest.NewRecorder()
	newTestAPI(t).ServeHTTP(response, httptest.NewRequest("GET", "/aaa", nil))
	if response.Code != 404 || response.Body.Len() != 0 {
		t.Errorf("status %d, body %q; want an empty 404", response.Code, response.Body)
	}
}
