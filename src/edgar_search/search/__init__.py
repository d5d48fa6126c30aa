"""The search itself, in its own types: it knows neither HTTP nor API versions."""
