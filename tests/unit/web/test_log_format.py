"""What the log of `edgar-search alerts` looks like."""

import logging

import msgspec
import pytest

from edgar_search.commands.alerts import lines

RECORD = logging.LogRecord("moss", logging.WARNING, "", 1, "%s grows", ("moss",), None)


def test_line_is_an_object_where_the_settings_say_so() -> None:
    line = msgspec.json.decode(lines(json_logs=True).format(RECORD))
    assert (line["logger"], line["level"], line["message"]) == ("moss", "warning", "moss grows")


def test_line_is_text_by_default() -> None:
    text = lines(json_logs=False).format(RECORD)
    assert text.endswith(" moss moss grows")
    with pytest.raises(msgspec.DecodeError):
        msgspec.json.decode(text)
