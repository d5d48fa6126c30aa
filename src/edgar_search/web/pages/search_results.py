"""Parts of a search page: hits, facets, filters."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import NamedTuple

from edgar_search.document.sections import TextPlace
from edgar_search.edgar.identifiers import document_address
from edgar_search.search.context import SearchContext
from edgar_search.search.criteria import DocumentCriteria, DocumentSearch
from edgar_search.search.explanation import count_documents
from edgar_search.search.facets import Facet, FacetPage, FacetValue
from edgar_search.search.results import DetailedHit, DocumentPage
from edgar_search.search.snippets.snippet import LocatedSnippet
from edgar_search.search.tickers import TickerTable
from edgar_search.search.variants import find_variants
from edgar_search.stored.filings import StoredSection
from edgar_search.web.pages.links import (
    DEFAULTS,
    Lists,
    address,
    as_asked,
    items,
    with_value,
    without,
)
from edgar_search.web.pages.text_html import AT
from edgar_search.web.parameters.filters import GROUP_BY
from edgar_search.web.parameters.filters import SORTS as SORTS
from edgar_search.web.v1.finding import WORD_FORMS_BY_NAME, names_of
from edgar_search.web.v1.search import SEARCH, search_params

MAIN = "main document"
# The parameters of a search that decide what is marked in a document.
_QUERY_PARAMETERS = ("query", "word_forms", "operands", "reading")
# The section of each document's best snippet, by document id.
SectionsOfHits = Mapping[str, StoredSection]


class ShownHit(NamedTuple):
    """A hit as a page shows it; `others` is the number of further companies of the filing.

    `section` is that of the snippet, and `passages` counts the passages that match; "" and 0 if
    unknown. If hits are filings, `matching` counts their documents that match, and `more` are the
    next best of them. `lacks` are operands of the query that it does not have.
    """

    document_id: str
    accession_number: str
    company: str
    cik: str
    tickers: list[str]
    others: int
    form_type: str
    period: str
    filed: str
    document: str
    description: str
    items: list[str]
    section: str
    snippet: str
    passages: int
    address: str
    edgar_url: str
    archived: bool
    lacks: Sequence[str] = ()
    matching: int = 0
    more: "Sequence[ShownHit]" = ()


def best_places(page: DocumentPage) -> dict[str, TextPlace]:
    """The place of each document's best snippet in its text, if it is known."""
    return {
        hit.document_id: TextPlace(_place(placed), hit.fields.version[0])
        for hit, placed in zip(page.hits, page.placed, strict=True)
        if placed and isinstance(hit, DetailedHit)
    }


def shown_hits(
    page: DocumentPage, sections: SectionsOfHits, table: TickerTable, lists: Lists
) -> list[ShownHit]:
    """The hits of a page, or its filings, in order; hits must be DetailedHit with places."""
    wanted = set(lists.get("cik", ()))
    read = {name: lists[name] for name in _QUERY_PARAMETERS if name in lists}
    shown = [
        _shown_hit(hit, sections, table, wanted)._replace(
            snippet=snippet,
            passages=passages,
            address=_document_address(hit.document_id, placed, read),
        )
        for hit, snippet, passages, placed in zip(
            page.hits, page.snippets, page.passages, page.placed, strict=True
        )
        if isinstance(hit, DetailedHit)
    ]
    return shown if page.groups is None else list(_filings(shown, page))


def _filings(shown: Sequence[ShownHit], page: DocumentPage) -> Iterator[ShownHit]:
    documents = iter(shown)
    for group in page.groups or ():
        best, *more = islice(documents, group.shown)
        yield best._replace(matching=group.number, more=more)


def _document_address(document_id: str, placed: Sequence[LocatedSnippet], read: Lists) -> str:
    """The address of a document at its best snippet, else at its first match."""
    path = f"/document/{document_id}"
    if not placed:
        return address(path, read) + "#m1"
    return address(path, read, at=_place(placed)) + f"#{AT}"


def _place(placed: Sequence[LocatedSnippet]) -> int:
    """The start of the best snippet's first mark, or of the snippet if it has no marks."""
    best = placed[0]
    return best.marks[0].start if best.marks else best.place.start


def _shown_hit(
    hit: DetailedHit, sections: SectionsOfHits, table: TickerTable, wanted: set[str]
) -> ShownHit:
    fields, entities = hit.fields, hit.entities
    # The filing is shown under the company that was asked for, else under its header's first.
    asked = [entity for entity in entities if entity[0] in wanted]
    cik, company = (asked or entities or [("", "")])[0]
    section = sections.get(hit.document_id)
    main = any(fields.first)
    return ShownHit(
        document_id=hit.document_id,
        accession_number=fields.accession_number[0],
        company=company or "no company named",
        cik=cik,
        tickers=table.tickers(cik) if cik else [],
        others=max(0, len(entities) - 1),
        form_type=fields.form_type[0],
        period=fields.period[0][:10] if fields.period else "",
        filed=fields.filing_date[0],
        document=MAIN if main else fields.document_type[0] or "document",
        description="" if main else fields.description[0],
        items=sorted(fields.items),
        section=f"{section.label} {section.description}".strip() if section else "",
        snippet="",
        passages=0,
        address="",
        edgar_url=document_address(fields.accession_number[0], cik or None, fields.file_name[0]),
        archived=any(fields.archived),
        lacks=hit.lacks,
    )


# Title and filter of each facet, by its name.
_KINDS: Mapping[str, tuple[str, str]] = {
    "form_type": ("Form", "form_type"),
    "year": ("Filed", ""),
    "company": ("Company", "cik"),
    "document_type": ("Document", "document_type"),
    "sic": ("Industry", "sic"),
    "state": ("State", "state"),
}
NAMES = tuple(_KINDS)
# The number of values of a facet that are shown, and of those that are there.
SHOWN, COUNTED = 8, 30


class Choice(NamedTuple):
    """A value with its number, and the address that narrows to it, or widens again if `chosen`."""

    text: str
    number: int
    address: str
    chosen: bool


class ShownFacet(NamedTuple):
    """A facet as a page shows it.

    `bars` are all years as (year, share of the commonest, address); `hidden` are further values,
    and `left` counts those that are not even these.
    """

    name: str
    title: str
    choices: list[Choice]
    hidden: list[Choice]
    bars: list[tuple[str, float, str]]
    left: int


def shown_facets(path: str, lists: Lists, page: FacetPage) -> list[ShownFacet]:
    """Facets that offer a choice: more than one value, or a chosen one."""
    found = [
        _shown_facet(path, lists, name, page.facets[name]) for name in NAMES if name in page.facets
    ]
    return [
        facet
        for facet in found
        if len(facet.choices) > 1 or any(choice.chosen for choice in facet.choices)
    ]


def company_names(page: FacetPage | None) -> dict[str, str]:
    """The names of the counted companies, by CIK."""
    facet = page.facets.get("company") if page else None
    return {value.value: value.name for value in facet.values if value.name} if facet else {}


def _shown_facet(path: str, lists: Lists, name: str, facet: Facet) -> ShownFacet:
    title, parameter = _KINDS[name]
    if name == "year":
        newest = facet.values[::-1]
        years = [_year_choice(path, lists, value) for value in newest]
        return ShownFacet(
            name, title, years[:SHOWN], years[SHOWN:], _bars(path, lists, facet), left=0
        )
    choices = [_choice(path, lists, parameter, value) for value in facet.values]
    left = max(0, facet.value_count - len(choices))
    return ShownFacet(name, title, choices[:SHOWN], choices[SHOWN:], [], left)


def _choice(path: str, lists: Lists, parameter: str, value: FacetValue) -> Choice:
    chosen = value.value in items(lists.get(parameter, ()))
    narrowed = (
        without(lists, parameter, value.value)
        if chosen
        else with_value(without(lists, parameter), parameter, value.value)
    )
    text = value.name or value.value or "none"
    return Choice(text, value.number, address(path, narrowed), chosen)


def _year_choice(path: str, lists: Lists, value: FacetValue) -> Choice:
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


def _bars(path: str, lists: Lists, facet: Facet) -> list[tuple[str, float, str]]:
    """Every year from the first to the last, so that gaps can be seen."""
    numbers = {int(value.value): value.number for value in facet.values}
    if not numbers:
        return []
    most = max(numbers.values())
    years = range(min(numbers), max(numbers) + 1)
    return [
        (
            f"{year}: {numbers.get(year, 0):,}",
            round(numbers.get(year, 0) / most, 3),
            _year_choice(path, lists, FacetValue(str(year), numbers.get(year, 0))).address,
        )
        for year in years
    ]


GROUPS = GROUP_BY.choices

# The words of each filter; other parameters are the query and the form of the list.
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
    "period_from": "period from {}",
    "period_to": "period to {}",
    "fiscal_year": "fiscal year {}",
    "primary": "main documents",
    "word_forms": "words as they are written",
    "operands": "all of the words",
    "reading": "the query as it is written",
    "ids": "document {}",
}
# A value of these may contain a comma.
_SINGLE = ("company",)


def filter_words(name: str, value: object) -> str:
    """A filter with its value, in words."""
    return _WORDS[name].format(value)


class Chip(NamedTuple):
    """A filter in use, and the address of the page without it."""

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
                    text = filter_words(parameter.name, value)
                    if parameter.name == "cik":
                        text = names.get(value, text)
                    found.append(Chip(text, address(path, rest)))
    return found


class ShownReading(NamedTuple):
    """A part of the question as it is read, and the address of the search that reads it exactly."""

    kind: str
    text: str
    meaning: str
    address: str


def readings(path: str, lists: Lists, search: DocumentSearch) -> list[ShownReading]:
    """The parts of a question that are recognised; in quotes a part is as it is written."""
    found = search.criteria.reading.recognised if search.criteria.reading else ()
    query = next((each for each in lists.get("query", ()) if each.strip()), "")
    shown = []
    for each in found:
        quoted = f'{query[: each.start]}"{each.text}"{query[each.end :]}'
        whole = each.start == 0 and each.end == len(query)
        exact = {"reading": "exact"} if whole else {"query": quoted}
        place = address(path, lists, offset=None, **exact)
        shown.append(ShownReading(each.kind, each.text, each.meaning, place))
    return shown


class NearSearch(NamedTuple):
    """A query near to that of the page, the number of documents that it finds, its address."""

    query: str
    forms: bool
    number: int
    address: str


async def near_searches(
    context: SearchContext,
    path: str,
    lists: Lists,
    criteria: DocumentCriteria,
    total: int,
    account: str,
) -> list[NearSearch]:
    """Find near queries that more than `total` documents match; requests as `find_variants`."""
    asked = next(each for each in as_asked(lists)["word_forms"] if each.strip())
    forms = WORD_FORMS_BY_NAME[asked.strip()]
    found = await find_variants(context, criteria, forms, total, account)
    exact = {"operands": "all", "reading": "exact", "offset": None}
    return [
        NearSearch(
            each.query,
            each.kind == "forms",
            each.hits,
            address(path, lists, query=each.query, word_forms=each.word_forms, **exact),
        )
        for each in found
    ]


# The filters that can be left out, each with its parameters.
_FILTERS = (
    ("form type", ("form_type",)),
    ("form family", ("form_family",)),
    ("type of document", ("document_type",)),
    ("days of filing", ("from_date", "to_date")),
    ("period of report", ("period_from", "period_to", "fiscal_year")),
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
    ("the query as it is written", ("reading",)),
)
_SPELLINGS = {each.name: each.all_spellings for each in SEARCH.parameters}
_PLACES = ("offset",)
ANY = "any filter"


class Widened(NamedTuple):
    """The search without a filter: the filter's name, the number of documents, the address."""

    left_out: str
    number: int
    address: str


async def widened_searches(
    context: SearchContext, path: str, lists: Lists, max_window: int
) -> list[Widened]:
    """The search without each of its filters, and without all of them if there are several.

    It makes the engine requests of one `count_documents`, whatever the number of filters.
    """
    ways = _searches_without_filters(lists)
    names = await names_of(context, as_asked(lists))
    searches = [search_params(as_asked(left), max_window, names) for _, left in ways]
    numbers = await count_documents(context, searches) if searches else []
    return [
        Widened(name, number, address(path, left))
        for (name, left), number in zip(ways, numbers, strict=True)
    ]


def _searches_without_filters(lists: Lists) -> list[tuple[str, Lists]]:
    said = [(name, names) for name, names in _FILTERS if _is_set(lists, names)]
    ways = [(name, _without(lists, names)) for name, names in said]
    if len(said) > 1:
        ways.append((ANY, _without(lists, [each for _, names in said for each in names])))
    return ways


def _is_set(lists: Lists, names: Sequence[str]) -> bool:
    """True if an address has a value other than the default for one of these."""
    return any(
        value.strip() not in ("", DEFAULTS.get(name, "false"))
        for name in names
        for spelling in _SPELLINGS[name]
        for value in lists.get(spelling, ())
    )


def _without(lists: Lists, names: Sequence[str]) -> Lists:
    gone = {*_PLACES, *(spelling for name in names for spelling in _SPELLINGS[name])}
    return {name: values for name, values in lists.items() if name not in gone}
