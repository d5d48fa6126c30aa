"""The neutral search, in its own types: it knows neither HTTP nor API versions."""
