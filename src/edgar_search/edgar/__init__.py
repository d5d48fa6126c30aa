"""EDGAR's format, read purely: submissions, their headers and documents."""
