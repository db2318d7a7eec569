"""What the same means for the shortener."""
