"""Types of content that answers have beside JSON."""

JSON_LINES = "application/x-ndjson"
XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
PLAIN = "text/plain"
