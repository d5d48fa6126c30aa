"""Settings: one frozen value, made once in a command and passed down."""

from edgar_search.settings.settings import VARIABLE_PREFIX, Settings

__all__ = ["VARIABLE_PREFIX", "Settings"]
