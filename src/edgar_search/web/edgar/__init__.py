"""EDGAR's own interfaces, answered from the loaded filings."""
