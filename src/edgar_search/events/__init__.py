"""The event log: events of filings and alerts, in one order for all readers."""
