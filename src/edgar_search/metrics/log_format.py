"""The log on standard error: lines of text, or of JSON for programs.

No line shows a credential, not even those of libraries that log what clients sent, or of
tracebacks.
"""

import logging
from datetime import UTC, datetime
from typing import Any

import msgspec

from edgar_search.metrics.masking import without_keys

# The attribute of a log record that holds the fields of its line.
FIELDS = "fields"
SERVICE_TEXT = "%(asctime)s %(name)s %(message)s"
_LINES = "edgar_search.metrics.log_format."


def log_config(*, json_logs: bool, text: str = SERVICE_TEXT) -> dict[str, Any]:
    """Return the configuration of logging for `logging.config.dictConfig`.

    `text` is the format of a line, unless lines are JSON.
    """
    line = {"()": f"{_LINES}JsonLines"} if json_logs else {"()": f"{_LINES}TextLines", "fmt": text}
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"line": line},
        "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "line"}},
        "root": {"handlers": ["stderr"], "level": "INFO"},
        # The client logs every request, including queries.
        "loggers": {"elastic_transport": {"level": "WARNING"}},
    }


class TextLines(logging.Formatter):
    """Formats a record as a line of text, with a traceback below it."""

    def format(self, record: logging.LogRecord) -> str:
        """Format a record, without credentials."""
        return without_keys(super().format(record))


class JsonLines(logging.Formatter):
    """Formats a record as a JSON object: time, logger, level, message or fields of a request."""

    def format(self, record: logging.LogRecord) -> str:
        """Format a record, without credentials."""
        line: dict[str, Any] = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "logger": record.name,
            "level": record.levelname.lower(),
        }
        fields = getattr(record, FIELDS, None)
        # The fields of a request say everything that its message says.
        line |= fields if fields else {"message": record.getMessage()}
        if record.exc_info:
            line["traceback"] = self.formatException(record.exc_info)
        return without_keys(msgspec.json.encode(line).decode())
