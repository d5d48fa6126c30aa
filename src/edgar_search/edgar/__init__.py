"""EDGAR's format: submissions, their headers and documents, and the archive of them."""
