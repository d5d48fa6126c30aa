"""A commit and this checkout, asked the same through every face; differing bytes are named."""
