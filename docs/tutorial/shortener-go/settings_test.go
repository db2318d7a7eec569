package main

import (
	"strings"
	"testing"
)

func TestReadSettings(t *testing.T) {
	const postgres = "postgres://user:secret@127.0.0.1:5432/links"
	tests := []struct{ name, port, url, names string }{
		{"usable", "8080", postgres, ""},
		{"no port", "", postgres, "PORT"},
		{"port 0", "0", postgres, "PORT"},
		{"port too large", "65536", postgres, "PORT"},
		{"no database", "8080", "", "POSTGRES_URL"},
		{"another scheme", "8080", "mysql://user:secret@127.0.0.1/links", "POSTGRES_URL"},
		{"no name of a database", "8080", "postgres://user:secret@127.0.0.1", "POSTGRES_URL"},
		{"unusable parameter", "8080", postgres + "?sslmode=odd", "POSTGRES_URL"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			env := map[string]string{"PORT": test.port, "POSTGRES_URL": test.url}
			got, err := readSettings(func(name string) string { return env[name] })
			switch {
			case test.names == "":
				if err != nil || got.address != "127.0.0.1:8080" {
					t.Errorf("address %q, error %v", got.address, err)
				}
			case err == nil || !strings.HasPrefix(err.Error(), test.names+" "):
				t.Errorf("the error %v does not name %s", err, test.names)
			case strings.Contains(err.Error(), "secret"):
				t.Errorf("the error %v has the password", err)
			}
		})
	}
}
