"""A submission header of either dialect as one stream of names and values."""

import re
from functools import lru_cache

from msgspec import Struct

from edgar_search.edgar.header.fields import canonical


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
    continued: dict[int, list[str]] = {}  # joined at the end: it may go on for a million lines
    for line in header.replace("\r", "\n").split("\n"):
        # `STANDARD INDUSTRIAL CLASSIFICATION: [3281` has its `]` before the next line's label.
        line = line.strip().lstrip("]\t ")
        if not line:
            continue
        event = _event(line)
        if event is not None:
            found.append(event)
        elif found and not found[-1].closing:
            continued.setdefault(len(found) - 1, []).append(line)
    for number, lines in continued.items():
        found[number].value = " ".join([found[number].value, *lines]).strip()
    return found


def _event(line: str) -> Event | None:
    if line[0] == "<":
        tag = _TAG.match(line)
        return Event(_name(tag[2]), tag[2], tag[3].strip(), closing=bool(tag[1])) if tag else None
    label = _LABEL.match(line)
    return Event(_name(label[1]), label[1].strip(), label[2].strip()) if label else None


def _name(written: str) -> str:
    return _known(written) if len(written) <= _LONGEST else canonical(written)


# All headers have the same few hundred names.
_LONGEST = 80  # characters: what is longer is none of them, and is not kept
_known = lru_cache(1_000)(canonical)
