"""Answers as files: comma-separated values, Excel workbooks, Parquet and JSON lines."""
