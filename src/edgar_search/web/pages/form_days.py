"""The days of the coverage page by form; pure."""

from collections import Counter
from collections.abc import Sequence
from datetime import date
from typing import NamedTuple

from edgar_search.search.coverage import FormDay
from edgar_search.web.pages.links import address

# Forms that have a column of their own: as many as a page has room for.
MOST_FORMS = 8


class FormCell(NamedTuple):
    """The filings of a form on a day: those known, those searchable, those that wait."""

    known: int
    searchable: int
    waiting: int
    address: str


class FormDays(NamedTuple):
    """The commonest forms, and for each day a cell of each, None where nothing is known.

    `left` counts the forms without a column.
    """

    forms: list[str]
    days: list[tuple[date, list[FormCell | None]]]
    left: int


def form_days(path: str, found: Sequence[FormDay]) -> FormDays:
    """Days, newest first, by their commonest forms."""
    known: Counter[str] = Counter()
    for each in found:
        known[each.form_type] += each.known
    forms = sorted(known, key=lambda form: (-known[form], form))
    shown = forms[:MOST_FORMS]
    by_pair = {(each.day, each.form_type): each for each in found}
    days = sorted({each.day for each in found}, reverse=True)
    rows = [
        (date.fromisoformat(day), [_cell(path, by_pair.get((day, form))) for form in shown])
        for day in days
    ]
    return FormDays(shown, rows, len(forms) - len(shown))


def _cell(path: str, found: FormDay | None) -> FormCell | None:
    if found is None:
        return None
    waiting = found.known - found.searchable - found.refused - found.deleted
    place = address(path, from_date=found.day, to_date=found.day, form_type=found.form_type)
    return FormCell(found.known, found.searchable, waiting, place)
