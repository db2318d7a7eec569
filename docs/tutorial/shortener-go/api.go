package main

import (
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"mime"
	"net/http"
	"os"
)

const maxBody = 8_192

// problem is an error as a client gets it (RFC 9457).
type problem struct {
	Title  string `json:"title"`
	Status int    `json:"status"`
	Detail string `json:"detail"`
}

func newProblem(status int, detail string) problem {
	return problem{http.StatusText(status), status, detail}
}

func (p problem) Error() string { return p.Detail }

// api answers requests.
type api struct {
	links *links
	log   *slog.Logger
}

func newAPI(links *links, log *slog.Logger) http.Handler {
	a := &api{links, log}
	mux := http.NewServeMux() // a pattern with GET is for HEAD, too
	mux.HandleFunc("GET /healthz", a.handle(a.health))
	mux.HandleFunc("GET /{hash}", a.handle(a.lookup))
	mux.HandleFunc("GET /links/{hash}", a.handle(a.show))
	mux.HandleFunc("POST /links", a.handle(a.create))
	return mux
}

// handle makes a problem of the error of a handler.
func (a *api) handle(serve func(http.ResponseWriter, *http.Request) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		err := serve(w, r)
		if err == nil {
			return
		}
		p, ok := errors.AsType[problem](err)
		switch {
		case ok:
		case errors.Is(err, errNoLink):
			p = newProblem(http.StatusNotFound, "There is no such link.")
		case errors.Is(err, errAway):
			p = newProblem(http.StatusServiceUnavailable, "The database is away.")
		default:
			a.log.Error("request failed", "method", r.Method, "path", r.URL.Path, "error", err)
			p = newProblem(http.StatusInternalServerError, "The server made a mistake.")
		}
		writeJSON(w, p.Status, "application/problem+json", p)
	}
}

func (a *api) health(w http.ResponseWriter, r *http.Request) error {
	if err := a.links.ping(r.Context()); err != nil {
		return err
	}
	writeJSON(w, http.StatusOK, "application/json", map[string]string{"status": "ok"})
	return nil
}

func (a *api) lookup(w http.ResponseWriter, r *http.Request) error {
	url, err := a.links.find(r.Context(), r.PathValue("hash"))
	if errors.Is(err, errNoLink) {
		w.WriteHeader(http.StatusNotFound)
		return nil
	}
	if err != nil {
		return err
	}
	http.Redirect(w, r, url, http.StatusMovedPermanently)
	return nil
}

func (a *api) show(w http.ResponseWriter, r *http.Request) error {
	hash := r.PathValue("hash")
	url, err := a.links.find(r.Context(), hash)
	if err != nil {
		return err
	}
	writeJSON(w, http.StatusOK, "application/json", link{hash, url})
	return nil
}

func (a *api) create(w http.ResponseWriter, r *http.Request) error {
	var body struct {
		URL string `json:"url"`
	}
	if err := readJSON(w, r, &body); err != nil {
		return err
	}
	if !isWebURL(body.URL) {
		return newProblem(http.StatusBadRequest, "url must be an http or https URL in ASCII, of at most 2048 characters.")
	}
	hash, err := a.links.add(r.Context(), body.URL)
	if err != nil {
		return err
	}
	w.Header().Set("Location", "/"+hash)
	writeJSON(w, http.StatusCreated, "application/json", link{hash, body.URL})
	return nil
}

// readJSON decodes the body into value. Its errors are problems.
func readJSON(w http.ResponseWriter, r *http.Request, value any) error {
	mediaType, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || mediaType != "application/json" {
		return newProblem(http.StatusUnsupportedMediaType, "The body must be application/json.")
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return newProblem(http.StatusRequestEntityTooLarge, "The body must have at most 8192 bytes.")
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return newProblem(http.StatusRequestTimeout, "The body did not come in time.")
	}
	if err == nil {
		err = json.Unmarshal(body, value)
	}
	if err != nil {
		return newProblem(http.StatusBadRequest, "The body must be a JSON object: "+err.Error())
	}
	return nil
}

func writeJSON(w http.ResponseWriter, status int, mediaType string, value any) {
	w.Header().Set("Content-Type", mediaType)
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(value) // fails only if the client has left
}
