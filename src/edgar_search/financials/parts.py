"""Parts of a company that numbers measure: segments, products and regions, as filers name them."""

import re
from collections.abc import Iterable

# Axes whose members are all parts of a company.
_AXES = frozenset(
    "StatementBusinessSegmentsAxis SegmentReportingInformationBySegmentAxis ProductOrServiceAxis"
    " ProductsAndServicesAxis StatementGeographicalAxis"
    " RegionReportingInformationByRegionAxis".split()
)
# A dimension that a segment's number may have besides.
_OF_SEGMENTS = "ConsolidationItemsAxis=us-gaap:OperatingSegmentsMember"
_KIND = re.compile(r"(?:Segments?)?$")
_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z][a-z]+|[a-z]+|\d+")


def part_of(dimensions: Iterable[str], *, certain: bool = False) -> str:
    """Return the name of the part with these dimensions, such as `NorthAmerica`.

    "" for the whole company or several parts at once; if it must be `certain`, also for axes that
    may have other members, such as a filer's own.
    """
    members = [member for member in dimensions if not member.endswith(_OF_SEGMENTS)]
    if len(members) != 1:
        return ""
    axis, _, member = members[0].partition("=")
    if certain and axis.rpartition(":")[2] not in _AXES:
        return ""
    return member.rpartition(":")[2].removesuffix("Member")


def words_of_part(part: str) -> str:
    """Return the words of a part: `North America` for `NorthAmerica`."""
    return " ".join(_WORDS.findall(part))


def is_name_of(name: str, part: str) -> bool:
    """Return True if a part has this name, with or without the word "Segment"."""
    return _letters(_KIND.sub("", part)) == _letters(name) != ""


def has_words(part: str, words: Iterable[str]) -> bool:
    """Return True if a part's name has all these words, in any order, singular or plural."""
    own_words = {_singular(word.lower()) for word in _WORDS.findall(part)}
    return {_singular(word) for word in words} <= own_words


def _letters(words: str) -> str:
    return "".join(filter(str.isalnum, words)).casefold()


def _singular(word: str) -> str:
    return word.removesuffix("s")
