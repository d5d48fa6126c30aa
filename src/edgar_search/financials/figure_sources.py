"""The facts behind the figures of reports: which fact of a filing each figure comes from."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import date
from typing import NamedTuple

from msgspec import Struct

from edgar_search.engine.bulk_lines import chunks
from edgar_search.engine.engine import Engine
from edgar_search.engine.replies import SourceHit
from edgar_search.financials.facts import STANDARD
from edgar_search.search.query.matching import Clause
from edgar_search.stored.figures import COVER_ITEM, PREVIOUS, YEAR_TO_DATE
from edgar_search.stored.financials import ItemRule, StoredPlace

# Facts in one request, and about how many facts a report has for an item: its columns.
_AT_ONCE, _COLUMNS = 10_000, 12
_MOST_FILINGS = 200
_FIELDS = (
    "accession_number",
    "local_name",
    "start",
    "end",
    "unit",
    "value",
    "amount",
    "sources",
    "rule",
    "place",
)


class FigureFact(Struct, frozen=True):
    """A standard item of a filing, as its facts have it; see `StoredFact`."""

    accession_number: str
    local_name: str
    end: date
    unit: str
    value: str
    amount: float
    start: date | None = None
    sources: list[str] = []
    rule: ItemRule | None = None
    place: StoredPlace | None = None

    @property
    def days(self) -> int:
        """The length of its period in days; 0 for an instant."""
        return (self.end - self.start).days if self.start else 0


class ReportFigure(NamedTuple):
    """A figure of the filing with this accession number, and its value."""

    accession_number: str
    name: str
    value: float


def item_of(figure: str) -> str:
    """Return the standard item of a figure."""
    return figure.removesuffix(PREVIOUS).removesuffix(YEAR_TO_DATE)


def facts_body(numbers: Collection[str], items: Collection[str]) -> Clause:
    """Build the search for the facts of these standard items in these filings."""
    return {
        "query": {
            "bool": {
                "filter": [
                    {"terms": {"accession_number": sorted(numbers)}},
                    {"terms": {"concept": sorted(f"{STANDARD}:{item}" for item in items)}},
                ],
                "must_not": [{"exists": {"field": "doubt"}}],
            }
        },
        "size": _AT_ONCE,
        "sort": ["_doc"],
        "track_total_hits": False,
        "_source": list(_FIELDS),
    }


async def facts_of_figures(
    engine: Engine, figures: Sequence[ReportFigure]
) -> dict[tuple[str, str], FigureFact]:
    """Find the facts of figures, by filing and name, with a request for some hundred filings.

    A figure whose fact is uncertain is left out.
    """
    items = {item_of(each.name) for each in figures}
    if not items:
        return {}
    by_filing: dict[str, list[ReportFigure]] = {}
    for each in figures:
        by_filing.setdefault(each.accession_number, []).append(each)
    facts: dict[tuple[str, str], FigureFact] = {}
    size = max(1, min(_MOST_FILINGS, _AT_ONCE // (_COLUMNS * len(items))))
    for numbers in chunks(by_filing, size):
        reply = await engine.search("facts", facts_body(numbers, items), SourceHit[FigureFact])
        of_filing: dict[str, list[FigureFact]] = {}
        for hit in reply.hits.hits:
            of_filing.setdefault(hit.source.accession_number, []).append(hit.source)
        for number in numbers:
            for figure in by_filing[number]:
                fact = fact_of(figure, of_filing.get(number, ()))
                if fact is not None:
                    facts[number, figure.name] = fact
    return facts


def fact_of(figure: ReportFigure, facts: Iterable[FigureFact]) -> FigureFact | None:
    """Return the fact of its filing from which a figure comes.

    None if no fact has its value.
    """
    item = item_of(figure.name)
    of_item = [fact for fact in facts if fact.local_name == item]
    same = [candidate for candidate in of_item if candidate.amount == figure.value]
    if not same:
        return None
    newest = max(candidate.end for candidate in of_item)
    if figure.name.endswith(PREVIOUS):
        earlier = [candidate for candidate in same if candidate.end < newest]
        same = earlier or same
    end = max(candidate.end for candidate in same)
    last = [candidate for candidate in same if candidate.end == end]
    if item == COVER_ITEM:
        return last[0]
    # Of two periods with the same end, the quarter is the shorter one.
    longest = YEAR_TO_DATE in figure.name
    return (max if longest else min)(last, key=lambda candidate: candidate.days)


def by_name(
    names: Iterable[str], facts: Mapping[tuple[str, str], FigureFact], number: str
) -> list[FigureFact]:
    """Return the facts behind a filing's figures with these names, if known."""
    return [facts[number, name] for name in names if (number, name) in facts]
