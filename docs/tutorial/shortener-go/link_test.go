package main

import (
	"strings"
	"testing"
)

func TestIsWebURL(t *testing.T) {
	tests := map[string]bool{
		"http://example.org":                     true,
		"HTTPS://example.org:8443/a%20b?c=d#e":   true,
		"http://a/" + strings.Repeat("a", 2_039): true,
		"http://a/" + strings.Repeat("a", 2_040): false,
		"":                                       false,
		"example.org":                            false,
		"//example.org/":                         false,
		"http://":                                false,
		"http:///path":                           false,
		"http:example.org":                       false,
		"ftp://example.org/":                     false,
		"javascript:alert(1)":                    false,
		"http://example.org/\r\nSet-Cookie: a=b": false,
		"http://example.org/a b":                 false,
		"http://example.org/\u00e9":              false,
	}
	for text, want := range tests {
		if got := isWebURL(text); got != want {
			t.Errorf("isWebURL(%q) = %t, want %t", text, got, want)
		}
	}
}

func TestNewHash(t *testing.T) {
	seen := map[string]bool{}
	for range 1_000 {
		hash := newHash()
		if !hashPattern.MatchString(hash) || seen[hash] {
			t.Fatalf("hash %q is not six letters and digits, or comes twice", hash)
		}
		seen[hash] = true
	}
}
