"""Media types of answers other than JSON."""

JSON_LINES = "application/x-ndjson"
XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
PLAIN = "text/plain"
