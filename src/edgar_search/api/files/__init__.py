"""Answers as files: comma-separated values, workbooks of Excel, Parquet and JSON lines."""
