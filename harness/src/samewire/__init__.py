"""Samewire: reference servers, proven identical on the wire, then raced."""
