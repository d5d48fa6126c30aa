"""EDGAR's formats: pure parsers of submissions, their headers and their documents."""
