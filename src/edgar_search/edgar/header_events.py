"""A submission header of either dialect as one stream of names and values."""

import re

from msgspec import Struct

from edgar_search.edgar.header_fields import canonical


class Event(Struct):
    """A label or tag with its value; `name` is canonical, `written` as it stands in the header."""

    name: str
    written: str
    value: str
    closing: bool = False


_TAG = re.compile(r"<(/?)([A-Za-z][A-Za-z0-9 _.-]*)>(.*)", re.DOTALL)
# Values hold colons too, in mixed case; labels are in capitals.
_LABEL = re.compile(r"([A-Z][A-Z0-9 /&.,'()-]{0,79}):(.*)", re.DOTALL)


def events(header: str) -> list[Event]:
    """Return the events of `header` in order.

    A line that has neither label nor tag continues the value before it.
    """
    found: list[Event] = []
    values: list[list[str]] = []  # joined at the end: a value may go on for a million lines
    for line in header.replace("\r", "\n").split("\n"):
        # `STANDARD INDUSTRIAL CLASSIFICATION: [3281` has its `]` before the next line's label.
        line = line.strip().lstrip("]\t ")
        event = _event(line)
        if event is not None:
            found.append(event)
            values.append([event.value])
        elif line and found and not found[-1].closing:
            values[-1].append(line)
    for event, lines in zip(found, values, strict=True):
        event.value = " ".join(lines).strip()
    return found


def _event(line: str) -> Event | None:
    if tag := _TAG.match(line):
        return Event(canonical(tag[2]), tag[2], tag[3].strip(), closing=bool(tag[1]))
    if label := _LABEL.match(line):
        return Event(canonical(label[1]), label[1].strip(), label[2].strip())
    return None
