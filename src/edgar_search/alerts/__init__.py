"""Alerts: triggers, arrivals, and the notifications of both."""
