"""Settings: one frozen value, created once by a command and passed down."""

from edgar_search.settings.settings import VARIABLE_PREFIX, Settings

__all__ = ["VARIABLE_PREFIX", "Settings"]
