"""The event log: events of filings and alerts, in one order that readers follow."""
