"""edgar-search: lookups and full-text search over SEC EDGAR filings."""
