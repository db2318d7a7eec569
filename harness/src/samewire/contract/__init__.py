"""The contract: what a response must be, and when two are the same."""
