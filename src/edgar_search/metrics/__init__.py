"""Metrics for Prometheus, facts about the current request, spans, and the format of the log."""
