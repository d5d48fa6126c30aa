"""Alerts: triggers, arrivals, and the notifications that both lead to."""
