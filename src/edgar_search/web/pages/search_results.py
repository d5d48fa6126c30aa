"""Parts of a search page: hits, facets, filters."""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from itertools import islice
from typing import NamedTuple
from urllib.parse import parse_qs, urlencode

from msgspec import structs

from edgar_search.api.finding import names_of
from edgar_search.api.parameters.declaration import Parameter
from edgar_search.api.parameters.filters import GROUP_BY
from edgar_search.api.parameters.filters import SORTS as SORTS
from edgar_search.api.search import SEARCH, SectionsOfHits, search_params
from edgar_search.document.sections import first_place
from edgar_search.edgar.identifiers import document_address as edgar_address
from edgar_search.search.context import SearchContext
from edgar_search.search.criteria import ANY_FILING, DocumentCriteria, DocumentSearch, FacetSearch
from edgar_search.search.explanation import count_documents
from edgar_search.search.facets import Facet, FacetPage, FacetValue, count_facets
from edgar_search.search.language import WORD_FORMS
from edgar_search.search.respelling import nearest_words, respelled_text
from edgar_search.search.results import DetailedHit, DocumentPage
from edgar_search.search.snippets.snippet import LocatedSnippet
from edgar_search.search.tickers import TickerTable
from edgar_search.search.variants import find_variants
from edgar_search.search.warnings.nearest import shorten
from edgar_search.web.pages.links import (
    DEFAULTS,
    Lists,
    address,
    as_asked,
    items,
    without,
)
from edgar_search.web.pages.templates import day, describe_document
from edgar_search.web.pages.text_html import AT

MAIN = "main document"
# The parameters of a search that decide what is marked in a document.
_QUERY_PARAMETERS = ("query", *DEFAULTS)
# The filters of a search, by name.
_SHOWN = {each.name: each.shown for each in SEARCH.parameters if each.shown}


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


def has_value(lists: Lists, *names: str) -> bool:
    """Return True if an address has a value for one of these parameters."""
    return any(value.strip() for name in names for value in lists.get(name, ()))


def asks_nothing(lists: Lists) -> bool:
    """Return True if an address has neither a query nor a filter."""
    return not has_value(lists, "query", *(name for name in _SHOWN if name not in DEFAULTS))


def respelled_lists(page: DocumentPage, lists: Lists) -> Lists:
    """The parameters of the search that was made, in another spelling if nothing was found."""
    return {**lists, "query": [page.respelling.text]} if page.respelling else lists


class Note(NamedTuple):
    """A warning, and the address of the same search in the nearest spelling, if there is one."""

    text: str
    address: str | None = None


def notes(path: str, lists: Lists, page: DocumentPage) -> list[Note]:
    """Return the warnings of a page, except for the one that another spelling was searched."""
    query = next((each for each in lists.get("query", ()) if each.strip()), "")
    nearest = respelled_text(query, nearest_words(page.missing))
    place = address(path, lists, query=nearest, offset=None) if nearest != query else None
    absent = [Note(absent_words(page))] if page.whole is not None and page.total else []
    return [
        *absent,
        *(Note(warning.text, place if warning.instead else None) for warning in page.warnings),
    ]


def absent_words(page: DocumentPage) -> str:
    """Return the sentence about documents that lack words of the query."""
    kind = "filing" if page.groups is not None else "document"
    of = f"the best of {page.total:,} that have some"
    if not page.whole:
        return f"No {kind} has all words; {of}."
    return f"{_with_words(page.whole, kind)} all words; {of}."


def _with_words(count: int, kind: str) -> str:
    return f"{count:,} {kind} has" if count == 1 else f"{count:,} {kind}s have"


class Instead(NamedTuple):
    """The words that were missing, those shown instead, and the address that takes them back."""

    missing: str
    nearest: str
    address: str


def searched_instead(path: str, lists: Lists, page: DocumentPage) -> Instead | None:
    """Return the words of another spelling, if it was searched."""
    if page.respelling is None:
        return None
    words = page.respelling.words
    exact = address(path, lists, reading="exact", offset=None)
    return Instead(" and ".join(map(shorten, words)), " and ".join(words.values()), exact)


def shown_hits(
    page: DocumentPage, sections: SectionsOfHits, table: TickerTable, lists: Lists
) -> list[ShownHit]:
    """Return the hits or filings of a page, in order; hits must be DetailedHit with positions."""
    wanted = set(lists.get("cik", ()))
    read = reading_lists(lists)
    shown = [
        _shown_hit(hit, sections, table, wanted)._replace(
            snippet=snippet,
            passages=passages,
            address=document_address(hit.document_id, placed, read),
        )
        for hit, snippet, placed, passages in page.found
        if isinstance(hit, DetailedHit)
    ]
    return shown if page.groups is None else list(_filings(shown, page))


def _filings(shown: Sequence[ShownHit], page: DocumentPage) -> Iterator[ShownHit]:
    documents = iter(shown)
    for group in page.groups or ():
        best, *more = islice(documents, group.shown)
        yield best._replace(matching=group.number, more=more)


def document_address(document_id: str, placed: Sequence[LocatedSnippet], read: Lists) -> str:
    """Return the address of a document at its best snippet, else at its first match."""
    path = f"/document/{document_id}"
    if not placed:
        return address(path, read) + "#m1"
    return address(path, read, at=first_place(placed)) + f"#{AT}"


def _shown_hit(
    hit: DetailedHit, sections: SectionsOfHits, table: TickerTable, wanted: set[str]
) -> ShownHit:
    fields, entities = hit.fields, hit.entities
    # The filing is shown under the company that was requested, else under its header's first.
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
        description=""
        if main
        else describe_document(fields.description[0], fields.document_type[0], [company]),
        items=sorted(fields.items),
        section=f"{section.label} {section.description}".strip() if section else "",
        snippet="",
        passages=0,
        address="",
        edgar_url=edgar_address(fields.accession_number[0], cik or None, fields.file_name[0]),
        archived=any(fields.archived),
        lacks=hit.lacks,
    )


# The titles of facets; those with another name than the filter that chooses of their values.
_TITLES: Mapping[str, str] = {
    "form_type": "Form",
    "year": "Filed",
    "company": "Company",
    "document_type": "Document",
    "sic": "Industry",
    "state": "State",
}
_FILTERS_OF: Mapping[str, tuple[str, ...]] = {"company": ("cik",), "year": ("from_date", "to_date")}
NAMES = tuple(_TITLES)
# The number of values of a facet that are shown, and that are fetched.
SHOWN, COUNTED = 8, 30


class Choice(NamedTuple):
    """A value with its number, and the address that adds it, or takes it away if `chosen`."""

    text: str
    number: int
    address: str
    chosen: bool


class Bar(NamedTuple):
    """A year with its number in words, its relative height, and the address that adds it."""

    text: str
    share: float
    address: str
    chosen: bool


class ShownFacet(NamedTuple):
    """A facet as a page shows it, chosen values first.

    `bars` are all years from the first to the last. `hidden` values are shown on request, and
    `left` counts the values beyond them.
    """

    name: str
    title: str
    choices: list[Choice]
    hidden: list[Choice]
    bars: list[Bar]
    left: int


async def count_choices(
    context: SearchContext, search: DocumentSearch
) -> tuple[FacetPage, Mapping[str, str]]:
    """Count all facets, each without its own filter, so that values can be added to it.

    The names of companies and industries come with them. Requests as `count_facets` for each facet
    with a filter, and for all others together; one more for names of industries, unless cached.
    """
    own = {name: _without_own_filter(search.criteria, name) for name in NAMES}
    free = tuple(name for name in NAMES if own[name] == search.criteria)
    asked = [(search.criteria, free), *((own[each], (each,)) for each in NAMES if each not in free)]
    pages = await asyncio.gather(
        *(
            count_facets(context, FacetSearch(criteria, names, COUNTED, search.operands))
            for criteria, names in asked
        )
    )
    facets = {name: facet for page in pages for name, facet in page.facets.items()}
    codes = [*(value.value for value in facets["sic"].values), *search.criteria.filings.sic]
    industries = await context.industries.names(list(dict.fromkeys(codes)))
    companies = {value.value: value.name for value in facets["company"].values if value.name}
    named = {code: f"{code} {name}" for code, name in industries.items()}
    return pages[0]._replace(facets=facets), companies | named


def _without_own_filter(criteria: DocumentCriteria, name: str) -> DocumentCriteria:
    none = {each: getattr(ANY_FILING, each) for each in _FILTERS_OF.get(name, (name,))}
    return structs.replace(criteria, filings=structs.replace(criteria.filings, **none))


def shown_facets(
    path: str,
    lists: Lists,
    criteria: DocumentCriteria,
    page: FacetPage,
    names: Mapping[str, str],
) -> list[ShownFacet]:
    """Return facets that offer a choice: more than one value, or a chosen one."""
    found = [
        _shown_years(path, lists, criteria, page.facets[name])
        if name == "year"
        else _shown_facet(path, lists, criteria, name, page.facets[name], names)
        for name in NAMES
        if name in page.facets
    ]
    return [
        facet
        for facet in found
        if len(facet.choices) > 1 or any(choice.chosen for choice in facet.choices)
    ]


def _shown_facet(
    path: str,
    lists: Lists,
    criteria: DocumentCriteria,
    name: str,
    facet: Facet,
    names: Mapping[str, str],
) -> ShownFacet:
    (parameter,) = _FILTERS_OF.get(name, (name,))
    chosen: tuple[str, ...] = getattr(criteria.filings, parameter)
    rest = _without(lists, [parameter])

    def choice(value: FacetValue) -> Choice:
        added = value.value not in chosen
        left = [each for each in chosen if each != value.value]
        values = [*chosen, value.value] if added else left
        place = address(path, rest, **{parameter: ",".join(values)})
        return Choice(names.get(value.value, value.value) or "none", value.number, place, not added)

    choices = sorted(map(choice, facet.values), key=lambda each: not each.chosen)
    left = max(0, facet.value_count - len(choices))
    shown = max(SHOWN, sum(each.chosen for each in choices))
    return ShownFacet(name, _TITLES[name], choices[:shown], choices[shown:], [], left)


def _shown_years(path: str, lists: Lists, criteria: DocumentCriteria, facet: Facet) -> ShownFacet:
    """Years, which make one range: one more reaches it, and one of its ends can be taken away."""
    first, last = criteria.filings.from_date, criteria.filings.to_date
    numbers = {int(value.value): value.number for value in facet.values}
    whole = first and last and (first.month, first.day, last.month, last.day) == (1, 1, 12, 31)
    chosen = range(first.year, last.year + 1) if first and last and whole else range(0)

    def choice(year: int) -> Choice:
        begin, end = _years_with(chosen, year)
        place = address(
            path,
            lists,
            offset=None,
            from_date=f"{begin}-01-01" if begin else None,
            to_date=f"{end}-12-31" if end else None,
        )
        return Choice(str(year), numbers.get(year, 0), place, year in chosen)

    newest = sorted(map(choice, numbers), key=lambda each: (each.chosen, each.text), reverse=True)
    most = max(numbers.values(), default=0)
    every = map(choice, range(min(numbers), max(numbers) + 1) if numbers else ())
    bars = [
        Bar(
            f"{each.text}: {each.number:,}", round(each.number / most, 3), each.address, each.chosen
        )
        for each in every
    ]
    shown = max(SHOWN, sum(each.chosen for each in newest))
    return ShownFacet("year", _TITLES["year"], newest[:shown], newest[shown:], bars, left=0)


def _years_with(chosen: range, year: int) -> tuple[int | None, int | None]:
    """Return the first and the last year if this one is added or taken away; None if none is left.

    Of a year between others only it stays.
    """
    if not chosen:
        return year, year
    first, last = chosen[0], chosen[-1]
    if year not in chosen:
        return min(first, year), max(last, year)
    if first == last:
        return None, None
    if year == first:
        return first + 1, last
    return (first, last - 1) if year == last else (year, year)


GROUPS = GROUP_BY.choices

# The parameter of a document's page that has the filters of the search that found it.
FORMER = "filters"


def filter_words(parameter: Parameter, value: object) -> str:
    """Return a filter that pages show, with its value, in words."""
    shown = parameter.shown
    assert shown is not None
    if parameter.kind == "date" and isinstance(value, str | date):
        value = day(value)
    return dict(shown.values).get(str(value)) or shown.words.format(value)


_CARRIED = {
    spelling: each.name
    for each in SEARCH.parameters
    if each.name in _SHOWN and each.name not in DEFAULTS
    for spelling in each.all_spellings
}
# A search over all filings is not of these companies and documents alone.
_NARROW = [name for name, each in _SHOWN.items() if each.picks == "filer"]
_MOST_FILTERS = 50


def reading_lists(lists: Lists) -> dict[str, Sequence[str]]:
    """The parameters of a document that a search finds: its query, and its filters in one."""
    read = {name: lists[name] for name in _QUERY_PARAMETERS if name in lists}
    filters = [(name, value) for name in _CARRIED for value in lists.get(name, ()) if value.strip()]
    return read | ({FORMER: [urlencode(filters)]} if filters else {})


def search_over_all(lists: Lists) -> str:
    """Return the address of a document's query in all filings, with the filters of its search."""
    try:
        former = parse_qs("".join(lists.get(FORMER, ())), max_num_fields=_MOST_FILTERS)
    except ValueError:
        former = {}
    kept = {name: values for name, values in former.items() if name in _CARRIED}
    read = {name: lists[name] for name in _QUERY_PARAMETERS if name in lists}
    return address("/search", without_narrow(kept | read))


def without_narrow(lists: Lists) -> dict[str, Sequence[str]]:
    """Return the parameters of a search without the filters of companies and single documents."""
    return {name: each for name, each in lists.items() if _CARRIED.get(name) not in _NARROW}


class Chip(NamedTuple):
    """A filter in use, and the address of the page without it."""

    text: str
    address: str


def chips(path: str, lists: Lists, names: Mapping[str, str]) -> list[Chip]:
    """One chip for each value of each filter; `names` has the names of companies and industries."""
    found = []
    for parameter in SEARCH.parameters:
        if parameter.name not in _SHOWN:
            continue
        default = DEFAULTS.get(parameter.name, str(parameter.default).lower())
        for spelling in parameter.all_spellings:
            values = lists.get(spelling, ())
            single = parameter.kind != "list"
            for value in [each for each in values if each.strip()] if single else items(values):
                if value != default:
                    rest = without(lists, spelling, None if single else value)
                    text = filter_words(parameter, value)
                    if parameter.name in ("cik", "sic"):
                        text = names.get(value, text)
                    found.append(Chip(text, address(path, rest)))
    return found


class ShownReading(NamedTuple):
    """A recognised part of the question, and the address of the search that reads it exactly."""

    text: str
    meaning: str
    address: str


# The words before a part that is recognised.
_RECOGNISED = {
    "company": "company {}",
    "person": "person {}",
    "form_type": "form {}",
    "period": "period {}",
    "amount": "amount {}",
    "left_out": "without “{}”",
    "punctuation": "read as words",
}


def readings(path: str, lists: Lists, criteria: DocumentCriteria) -> list[ShownReading]:
    """Return the parts of a question that are recognised; in quotes a part is as it is written."""
    found = criteria.reading.recognised if criteria.reading else ()
    query = next((each for each in lists.get("query", ()) if each.strip()), "")
    shown = []
    for each in found:
        quoted = f'{query[: each.start]}"{each.text}"{query[each.end :]}'
        whole = each.start == 0 and each.end == len(query)
        exact = {"reading": "exact"} if whole else {"query": quoted}
        place = address(path, lists, offset=None, **exact)
        text = _RECOGNISED[each.kind].format(each.text.removeprefix("form "))
        shown.append(ShownReading(text, each.meaning, place))
    return shown


# What near queries find that have the words of the query.
_WIDER = {"forms": "in all forms of its words", "related": "with related words"}


class NearSearch(NamedTuple):
    """A query near to the one of the page, the number of documents that it finds, its address.

    `forms` says which forms of its words it finds, if these make it another query.
    """

    query: str
    forms: str
    number: int
    address: str


async def near_searches(
    context: SearchContext, path: str, lists: Lists, criteria: DocumentCriteria, total: int
) -> list[NearSearch]:
    """Find near queries that more than `total` documents match; requests as `find_variants`."""
    asked = next(each.strip() for each in as_asked(lists)["word_forms"] if each.strip())
    forms = next(each for each in WORD_FORMS if each == asked)
    found = await find_variants(context, criteria, forms, total)
    exact = {"operands": "all", "reading": "exact", "offset": None}
    return [
        NearSearch(
            each.query,
            _WIDER.get(each.kind, ""),
            each.hits,
            address(path, lists, query=each.query, word_forms=each.word_forms, **exact),
        )
        for each in found
        if each.kind != "spelling"  # The note on the missing word leads there.
    ]


# The filters that can be left out together, by the name of their group.
GROUPS_OF_FILTERS = {
    group: [name for name, each in _SHOWN.items() if each.group == group]
    for group in dict.fromkeys(each.group for each in _SHOWN.values())
}
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
    """Return the search without each of its filters, and without all of them if there are several.

    It makes the engine requests of one `count_documents`, whatever the number of filters.
    """
    ways = _searches_without_filters(lists)
    names = await names_of(context, as_asked(lists))
    searches = [
        search_params(as_asked(left), max_window, names, needs_query=False) for _, left in ways
    ]
    numbers = await count_documents(context, searches) if searches else []
    return [
        Widened(name, number, address(path, left))
        for (name, left), number in zip(ways, numbers, strict=True)
    ]


def _searches_without_filters(lists: Lists) -> list[tuple[str, Lists]]:
    said = [(name, names) for name, names in GROUPS_OF_FILTERS.items() if _is_set(lists, names)]
    ways = [(name, _without(lists, names)) for name, names in said]
    if len(said) > 1:
        ways.append((ANY, _without(lists, [each for _, names in said for each in names])))
    return ways


def _is_set(lists: Lists, names: Sequence[str]) -> bool:
    """Return True if an address has a value other than the default for one of these."""
    return any(
        value.strip() not in ("", DEFAULTS.get(name, "false"))
        for name in names
        for spelling in _SPELLINGS[name]
        for value in lists.get(spelling, ())
    )


def _without(lists: Lists, names: Sequence[str]) -> Lists:
    gone = {*_PLACES, *(spelling for name in names for spelling in _SPELLINGS[name])}
    return {name: values for name, values in lists.items() if name not in gone}
