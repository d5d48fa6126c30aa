"""Lines of the log as JSON, for programs that read them."""

import logging
from datetime import UTC, datetime
from typing import Any

import msgspec

# Where a record has what a line is made of beside its message.
FIELDS = "fields"


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
