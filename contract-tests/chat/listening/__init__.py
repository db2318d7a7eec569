"""Who listens over HTTP: by long polling, or to server-sent events."""
