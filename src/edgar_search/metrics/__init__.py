"""Figures of a process for Prometheus, facts about one request, spans and the log."""
