"""What the same means for the chat service."""
