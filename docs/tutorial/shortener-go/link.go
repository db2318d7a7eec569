package main

import (
	"crypto/rand"
	"math/big"
	"net/url"
	"regexp"
	"strings"
)

const maxURL = 2_048

// link is a hash and its URL.
type link struct {
	Hash string `json:"hash"`
	URL  string `json:"url"`
}

var (
	hashPattern = regexp.MustCompile(`^[0-9A-Za-z]{6}$`)
	hashCount   = big.NewInt(62 * 62 * 62 * 62 * 62 * 62)
)

// newHash is a random hash, from a secure source.
func newHash() string {
	number, err := rand.Int(rand.Reader, hashCount)
	if err != nil {
		panic(err) // never: crypto/rand itself ends the program
	}
	digits := number.Text(62)
	return strings.Repeat("0", 6-len(digits)) + digits
}

// isWebURL reports whether text is an absolute http or https URL that a Location field can hold.
func isWebURL(text string) bool {
	for _, char := range text {
		if char <= ' ' || char > '~' {
			return false // url.Parse takes spaces, and letters beyond ASCII
		}
	}
	u, err := url.Parse(text)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Hostname() != "" && len(text) <= maxURL
}
