"""Clients of Engine.IO 4 and Socket.IO 5 that do what a test tells them, also what no library would do."""
