"""What the same means for the todo service."""
