"""What the same means for the report."""
