"""The format of the log of the service and of `edgar-search alerts`."""

import logging
from logging.config import DictConfigurator

import msgspec
import pytest

from edgar_search.access.api_keys import new_key
from edgar_search.metrics.log_format import log_config

RECORD = logging.LogRecord("moss", logging.WARNING, "", 1, "%s grows", ("moss",), None)
KEY = new_key()


def written(*, json_logs: bool, record: logging.LogRecord = RECORD) -> str:
    """Return the line of a record by what the settings make of the log."""
    config = log_config(json_logs=json_logs)
    formatter = DictConfigurator(config).configure_formatter(config["formatters"]["line"])
    assert isinstance(formatter, logging.Formatter)
    return formatter.format(record)


def test_line_is_an_object_where_the_settings_say_so() -> None:
    line = msgspec.json.decode(written(json_logs=True))
    assert (line["logger"], line["level"], line["message"]) == ("moss", "warning", "moss grows")


def test_line_is_text_by_default() -> None:
    text = written(json_logs=False)
    assert text.endswith(" moss moss grows")
    with pytest.raises(msgspec.DecodeError):
        msgspec.json.decode(text)


@pytest.mark.parametrize("json_logs", [True, False])
def test_no_line_and_no_traceback_has_a_key(json_logs: bool) -> None:
    cause = (ValueError, ValueError(f"no resource {KEY}"), None)
    record = logging.LogRecord("mcp", logging.ERROR, "", 1, "Resource %r", (KEY,), cause)
    text = written(json_logs=json_logs, record=record)
    assert "sk_live_..." in text and "no resource" in text and KEY not in text
