"""Where a walk stands, and what was decided when it began."""

from typing import Any

from msgspec import Struct


class Place(Struct, frozen=True, array_like=True):
    """A place in a walk; without any values it is the beginning.

    `after` is what the last row was sorted by, and `rows` how many come before the place. `others`
    says that documents with all operands but one follow those with all, and `in_others` that the
    last row is one of them.

    The rest was decided when the walk began, since the order depends on it: which wildcards score
    as one word (`wide`), and whether closeness scores (`close`, and `close_others` of the others).
    `totals` are those of the whole and the others where nothing changes them: in `snapshot`, the
    key of the view that is walked over. `records` is what an export made of the rows. An export of
    matches can stop within a page: `documents` is how many documents after the place were sent
    whole, and `matches` how many matches of the next one.
    """

    after: list[Any] | None = None
    rows: int = 0
    in_others: bool = False
    others: bool | None = None
    wide: list[str] | None = None
    close: bool | None = None
    close_others: bool | None = None
    totals: tuple[int, int] | None = None
    snapshot: str = ""
    records: int = 0
    documents: int = 0
    matches: int = 0


BEGINNING = Place()


class Cursor(Struct, frozen=True, array_like=True):
    """A place with the question that it belongs to, as the caller's dialect writes it.

    `walk` names what is walked over: a cursor of one endpoint means nothing to another.
    """

    walk: str
    question: dict[str, list[str]]
    place: Place
