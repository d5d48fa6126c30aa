"""How what was found spreads over forms, years and more, as links that narrow it; pure."""

from collections.abc import Mapping
from typing import NamedTuple

from edgar_search.search.facets import Facet, FacetPage, FacetValue
from edgar_search.web.pages.links import Lists, address, items, with_value, without

# By the facet's name: what it is called, and the filter that its values are of.
_KINDS: Mapping[str, tuple[str, str]] = {
    "form_type": ("Form", "form_type"),
    "year": ("Filed", ""),
    "company": ("Company", "cik"),
    "document_type": ("Document", "document_type"),
    "sic": ("Industry", "sic"),
    "state": ("State", "state"),
}
NAMES = tuple(_KINDS)
# Values of each that are shown.
SHOWN = 8


class Choice(NamedTuple):
    """A value with its number, and the address that narrows to it, or widens again if `chosen`."""

    text: str
    number: int
    address: str
    chosen: bool


class ShownFacet(NamedTuple):
    """A facet; `bars` are all years as (year, share of the commonest), `left` counts what is not
    shown.
    """

    name: str
    title: str
    choices: list[Choice]
    bars: list[tuple[str, float]]
    left: int


def shown_facets(path: str, lists: Lists, page: FacetPage) -> list[ShownFacet]:
    """Facets that have a choice: more than one value, or one that is chosen."""
    found = [_shown(path, lists, name, page.facets[name]) for name in NAMES if name in page.facets]
    return [
        facet
        for facet in found
        if len(facet.choices) > 1 or any(choice.chosen for choice in facet.choices)
    ]


def company_names(page: FacetPage | None) -> dict[str, str]:
    """The names of the companies that are counted, by CIK."""
    facet = page.facets.get("company") if page else None
    return {value.value: value.name for value in facet.values if value.name} if facet else {}


def _shown(path: str, lists: Lists, name: str, facet: Facet) -> ShownFacet:
    title, parameter = _KINDS[name]
    if name == "year":
        newest = facet.values[::-1]
        choices = [_year(path, lists, value) for value in newest[:SHOWN]]
        return ShownFacet(name, title, choices, _bars(facet), max(0, len(newest) - SHOWN))
    choices = [_choice(path, lists, parameter, value) for value in facet.values[:SHOWN]]
    left = max(0, facet.value_count - len(choices))
    return ShownFacet(name, title, choices, [], left)


def _choice(path: str, lists: Lists, parameter: str, value: FacetValue) -> Choice:
    chosen = value.value in items(lists.get(parameter, ()))
    narrowed = (
        without(lists, parameter, value.value)
        if chosen
        else with_value(without(lists, parameter), parameter, value.value)
    )
    text = value.name or value.value or "none"
    return Choice(text, value.number, address(path, narrowed), chosen)


def _year(path: str, lists: Lists, value: FacetValue) -> Choice:
    first, last = f"{value.value}-01-01", f"{value.value}-12-31"
    chosen = lists.get("from_date", ()) == [first] and lists.get("to_date", ()) == [last]
    place = address(
        path,
        lists,
        offset=None,
        from_date=None if chosen else first,
        to_date=None if chosen else last,
    )
    return Choice(value.value, value.number, place, chosen)


def _bars(facet: Facet) -> list[tuple[str, float]]:
    """Every year from the first to the last, so that gaps are seen."""
    numbers = {int(value.value): value.number for value in facet.values}
    if not numbers:
        return []
    most = max(numbers.values())
    years = range(min(numbers), max(numbers) + 1)
    return [(str(year), round(numbers.get(year, 0) / most, 3)) for year in years]
