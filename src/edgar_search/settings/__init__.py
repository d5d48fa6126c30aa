"""Settings: one frozen value, made once in a command and passed down."""

from edgar_search.settings.settings import SUBMISSION_BYTES, VARIABLE_PREFIX, Settings

__all__ = ["SUBMISSION_BYTES", "VARIABLE_PREFIX", "Settings"]
