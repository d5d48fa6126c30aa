"""edgar-search: look-ups and full-text search over SEC EDGAR filings."""
