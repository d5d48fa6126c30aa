"""The series of funds in a header, with their classes."""

import msgspec
from msgspec import Struct

from edgar_search.edgar.header.events import Event
from edgar_search.edgar.header.fields import (
    CLASS_BEGINS,
    SERIES_BEGINS,
    SERIES_FIELDS,
    SERIES_GROUPS,
)

_CLASS_FIELDS = frozenset({"class_id", "class_name", "ticker"})


class SeriesValues(Struct):
    """The texts of one series; `group` is the part of the block it stands in."""

    group: str
    fields: dict[str, str] = msgspec.field(default_factory=dict)
    classes: list[dict[str, str]] = msgspec.field(default_factory=list)


class SeriesReader:
    """Reads the events of the block, one after the other, into `found`."""

    def __init__(self) -> None:
        self.found: list[SeriesValues] = []
        self._group = ""
        self._owner = ""  # a group may name the owner of all its series, before the first
        self._open: SeriesValues | None = None

    def read(self, event: Event) -> bool:
        """Take `event`, or tell that the block holds no such thing."""
        if event.name in SERIES_GROUPS:
            self._group, self._owner, self._open = SERIES_GROUPS[event.name], "", None
        elif event.name in SERIES_BEGINS:
            self._open = None if event.closing else self._begin()
        elif event.name == CLASS_BEGINS:
            if not event.closing:
                (self._open or self._begin()).classes.append({})
        elif event.name in SERIES_FIELDS:
            self._store(SERIES_FIELDS[event.name], event.value)
        else:
            return False
        return True

    def _begin(self) -> SeriesValues:
        self._open = SeriesValues(self._group)
        if self._owner:
            self._open.fields["owner_cik"] = self._owner
        self.found.append(self._open)
        return self._open

    def _store(self, field: str, value: str) -> None:
        if not value:
            return
        if field == "owner_cik" and self._open is None:
            self._owner = value
            return
        series = self._open or self._begin()
        if field not in _CLASS_FIELDS:
            series.fields[field] = value
            return
        if not series.classes:
            series.classes.append({})
        series.classes[-1][field] = value
