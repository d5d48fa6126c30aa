"""From arrivals to notifications."""
