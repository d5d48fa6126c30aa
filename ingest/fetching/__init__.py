"""The EDGAR client: its lists, and downloads of submissions."""
