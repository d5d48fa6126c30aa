"""The filters of a search as links that take them away; pure."""

from collections.abc import Mapping
from typing import NamedTuple

from edgar_search.web.pages.asked import DEFAULTS
from edgar_search.web.pages.links import Lists, address, items, without
from edgar_search.web.v1.endpoints import SEARCH
from edgar_search.web.v1.filters import GROUP_BY
from edgar_search.web.v1.filters import SORTS as SORTS

GROUPS = GROUP_BY.choices

# The filters; what else is in an address says what is asked, and how it is shown.
_WORDS = {
    "cik": "CIK {}",
    "ticker": "ticker {}",
    "sic": "SIC {}",
    "form_type": "form {}",
    "form_family": "form {} with amendments",
    "document_type": "document {}",
    "company": "company {}",
    "state": "state {}",
    "item": "item {}",
    "from_date": "from {}",
    "to_date": "to {}",
    "primary": "main documents",
    "word_forms": "words as they are written",
    "operands": "all of the words",
    "ids": "document {}",
}
# A value of these is text as it is, and may have a comma.
_SINGLE = ("company",)


class Chip(NamedTuple):
    """A filter that is set, and the address of the page without it."""

    text: str
    address: str


def chips(path: str, lists: Lists, names: Mapping[str, str]) -> list[Chip]:
    """One chip for each value of each filter; `names` are those of companies, by CIK."""
    found = []
    for parameter in SEARCH.parameters:
        if parameter.name not in _WORDS:
            continue
        default = DEFAULTS.get(parameter.name, str(parameter.default).lower())
        for spelling in parameter.all_spellings:
            values = lists.get(spelling, ())
            single = parameter.kind != "list" or parameter.name in _SINGLE
            for value in [each for each in values if each.strip()] if single else items(values):
                if value != default:
                    rest = without(lists, spelling, None if single else value)
                    text = _WORDS[parameter.name].format(value)
                    if parameter.name == "cik":
                        text = names.get(value, text)
                    found.append(Chip(text, address(path, rest)))
    return found
