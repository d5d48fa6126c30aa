"""A person's question as a query: words that say nothing, and names, periods and amounts."""
