"""The log on standard error: lines of text, or of JSON for programs that read them."""

import logging
from datetime import UTC, datetime
from typing import Any

import msgspec

# Where a record has what a line is made of beside its message.
FIELDS = "fields"
SERVICE_TEXT = "%(asctime)s %(name)s %(message)s"
_JSON = {"()": "edgar_search.metrics.log_format.JsonLines"}


def log_config(*, json_logs: bool, text: str = SERVICE_TEXT) -> dict[str, Any]:
    """The logging of a process, as `logging.config.dictConfig` takes it.

    `text` is the format of a line if lines are no objects.
    """
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"line": _JSON if json_logs else {"format": text}},
        "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "line"}},
        "root": {"handlers": ["stderr"], "level": "INFO"},
        # The client logs a line for each request, with what is searched or watched for in it.
        "loggers": {"elastic_transport": {"level": "WARNING"}},
    }


class JsonLines(logging.Formatter):
    """One object a line: when, who, how bad, what, and the fields of a request."""

    def format(self, record: logging.LogRecord) -> str:
        """The line of a record."""
        line: dict[str, Any] = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "logger": record.name,
            "level": record.levelname.lower(),
        }
        fields = getattr(record, FIELDS, None)
        # What a request's line says in words it says in its fields too.
        line |= fields if fields else {"message": record.getMessage()}
        if record.exc_info:
            line["traceback"] = self.formatException(record.exc_info)
        return msgspec.json.encode(line).decode()
