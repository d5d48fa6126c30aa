"""What a search that found nothing would find without each of its filters."""

from collections.abc import Sequence
from typing import NamedTuple

from edgar_search.search.counts import count_documents
from edgar_search.search.criteria import DocumentSearch
from edgar_search.search.entities import Directory
from edgar_search.web.pages.asked import DEFAULTS, as_asked
from edgar_search.web.pages.links import Lists, address
from edgar_search.web.v1.endpoints import SEARCH
from edgar_search.web.v1.parameters import search_params

# What can be taken away, and by the names of which parameters.
_FILTERS = (
    ("form type", ("form_type",)),
    ("form family", ("form_family",)),
    ("type of document", ("document_type",)),
    ("days of filing", ("from_date", "to_date")),
    ("CIK", ("cik",)),
    ("ticker", ("ticker",)),
    ("name of the company", ("company",)),
    ("industry", ("sic",)),
    ("state", ("state",)),
    ("item", ("item",)),
    ("main documents only", ("primary",)),
    ("the choice of documents", ("ids",)),
    ("words as they are written", ("word_forms",)),
    ("all of the words", ("operands",)),
)
_SPELLINGS = {each.name: each.all_spellings for each in SEARCH.parameters}
_PLACES = ("offset",)
ANY = "any filter"


class Widened(NamedTuple):
    """The search without a filter: what that is called, the documents found, and the address."""

    left_out: str
    number: int
    address: str


async def widened(directory: Directory, path: str, lists: Lists, max_window: int) -> list[Widened]:
    """The search without each of its filters, and without any where there are several.

    Engine requests as of `count_documents`, whatever the number of filters.
    """
    ways = _ways(lists)
    searches = [_search(left, max_window) for _, left in ways]
    numbers = await count_documents(directory, searches) if searches else []
    return [
        Widened(name, number, address(path, left))
        for (name, left), number in zip(ways, numbers, strict=True)
    ]


def _ways(lists: Lists) -> list[tuple[str, Lists]]:
    said = [(name, names) for name, names in _FILTERS if _is_set(lists, names)]
    ways = [(name, _without(lists, names)) for name, names in said]
    if len(said) > 1:
        ways.append((ANY, _without(lists, [each for _, names in said for each in names])))
    return ways


def _is_set(lists: Lists, names: Sequence[str]) -> bool:
    """Whether an address says anything of one of these, other than what holds anyway."""
    return any(
        value.strip() not in ("", DEFAULTS.get(name, "false"))
        for name in names
        for spelling in _SPELLINGS[name]
        for value in lists.get(spelling, ())
    )


def _without(lists: Lists, names: Sequence[str]) -> Lists:
    gone = {*_PLACES, *(spelling for name in names for spelling in _SPELLINGS[name])}
    return {name: values for name, values in lists.items() if name not in gone}


def _search(lists: Lists, max_window: int) -> DocumentSearch:
    return search_params(as_asked(lists), max_window)
