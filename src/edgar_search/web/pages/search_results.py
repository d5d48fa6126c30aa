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

PATH = "/search"
MAIN = "main document"
# The parameters of a search that decide what is marked in a document.
_QUERY_PARAMETERS = ("query", *DEFAULTS)
# The filters of a search, by name.
_SHOWN = {each.name: each.shown for each in SEARCH.parameters if each.shown}


class ShownHit(NamedTuple):
    """A hit for the page; `others` counts the further companies of the filing.

    `section` is the snippet's, and `passages` counts the passages that match; "" and 0 if unknown.
    If hits are filings, `matching` counts their documents that match, and `more` are the next best
    of them. `lacks` are the operands of the query that it does not contain.
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
    """Return True if an address gives one of these parameters a value."""
    return any(value.strip() for name in names for value in lists.get(name, ()))


def asks_nothing(lists: Lists) -> bool:
    """Return True if an address has neither a query nor a filter."""
    return not has_value(lists, "query", *(name for name in _SHOWN if name not in DEFAULTS))


def respelled_lists(page: DocumentPage, lists: Lists) -> Lists:
    """Return the parameters of the search that was made, which may be in another spelling."""
    return {**lists, "query": [page.respelling.text]} if page.respelling else lists


class Note(NamedTuple):
    """A warning, and the address of the same search in the nearest spelling, if there is one."""

    text: str
    address: str | None = None


def notes(lists: Lists, page: DocumentPage) -> list[Note]:
    """Return a page's warnings, except the one that another spelling was searched."""
    query = next((text for text in lists.get("query", ()) if text.strip()), "")
    nearest = respelled_text(query, nearest_words(page.missing))
    place = address(PATH, lists, query=nearest, offset=None) if nearest != query else None
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
    """The missing words, their replacements, and the address of the search without them."""

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
    hits = [
        _shown_hit(hit, sections, table, wanted)._replace(
            snippet=snippet,
            passages=passages,
            address=document_address(hit.document_id, placed, read),
        )
        for hit, snippet, placed, passages in page.found
        if isinstance(hit, DetailedHit)
    ]
    return hits if page.groups is None else list(_filings(hits, page))


def _filings(shown: Sequence[ShownHit], page: DocumentPage) -> Iterator[ShownHit]:
    documents = iter(shown)
    for group in page.groups or ():
        best, *more = islice(documents, group.shown)
        yield best._replace(matching=group.number, more=more)


def document_address(document_id: str, placed: Sequence[LocatedSnippet], read: Lists) -> str:
    """Return the address of a document at its best snippet, or else at its first match."""
    path = f"/document/{document_id}"
    if not placed:
        return address(path, read) + "#m1"
    return address(path, read, at=first_place(placed)) + f"#{AT}"


def _shown_hit(
    hit: DetailedHit, sections: SectionsOfHits, table: TickerTable, wanted: set[str]
) -> ShownHit:
    fields, entities = hit.fields, hit.entities
    # The filing is shown under the requested company, or else under its header's first.
    requested = [entity for entity in entities if entity[0] in wanted]
    cik, company = (requested or entities or [("", "")])[0]
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


# The titles of facets, including facets whose filter has another name.
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
# The number of a facet's values that are shown, and that are fetched.
SHOWN, COUNTED = 8, 30


class Choice(NamedTuple):
    """A value with its number, and the address that adds it, or removes it if `chosen`."""

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
    """A facet for the page, chosen values first.

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
    counted_searches = [
        (search.criteria, free),
        *(
            (own[name_of_facet], (name_of_facet,))
            for name_of_facet in NAMES
            if name_of_facet not in free
        ),
    ]
    pages = await asyncio.gather(
        *(
            count_facets(context, FacetSearch(criteria, names, COUNTED, search.operands))
            for criteria, names in counted_searches
        )
    )
    facets = {name: facet for page in pages for name, facet in page.facets.items()}
    codes = [*(value.value for value in facets["sic"].values), *search.criteria.filings.sic]
    industries = await context.industries.names(list(dict.fromkeys(codes)))
    companies = {value.value: value.name for value in facets["company"].values if value.name}
    labels = {code: f"{code} {name}" for code, name in industries.items()}
    return pages[0]._replace(facets=facets), companies | labels


def _without_own_filter(criteria: DocumentCriteria, name: str) -> DocumentCriteria:
    none = {
        field_name: getattr(ANY_FILING, field_name) for field_name in _FILTERS_OF.get(name, (name,))
    }
    return structs.replace(criteria, filings=structs.replace(criteria.filings, **none))


def shown_facets(
    lists: Lists,
    criteria: DocumentCriteria,
    page: FacetPage,
    names: Mapping[str, str],
) -> list[ShownFacet]:
    """Return facets that offer a choice: more than one value, or a chosen one."""
    facets = [
        _shown_years(lists, criteria, page.facets[name])
        if name == "year"
        else _shown_facet(lists, criteria, name, page.facets[name], names)
        for name in NAMES
        if name in page.facets
    ]
    return [
        facet
        for facet in facets
        if len(facet.choices) > 1 or any(choice.chosen for choice in facet.choices)
    ]


def _shown_facet(
    lists: Lists,
    criteria: DocumentCriteria,
    name: str,
    facet: Facet,
    names: Mapping[str, str],
) -> ShownFacet:
    (parameter,) = _FILTERS_OF.get(name, (name,))
    chosen: tuple[str, ...] = getattr(criteria.filings, parameter)
    others = _without(lists, [parameter])

    def choice(value: FacetValue) -> Choice:
        added = value.value not in chosen
        remaining = [choice_shown for choice_shown in chosen if choice_shown != value.value]
        values = [*chosen, value.value] if added else remaining
        place = address(PATH, others, **{parameter: ",".join(values)})
        return Choice(names.get(value.value, value.value) or "none", value.number, place, not added)

    choices = sorted(map(choice, facet.values), key=lambda choice_shown: not choice_shown.chosen)
    uncounted = max(0, facet.value_count - len(choices))
    number_shown = max(SHOWN, sum(choice_shown.chosen for choice_shown in choices))
    return ShownFacet(
        name, _TITLES[name], choices[:number_shown], choices[number_shown:], [], uncounted
    )


def _shown_years(lists: Lists, criteria: DocumentCriteria, facet: Facet) -> ShownFacet:
    """Show years as one range: adding one extends it, and only its ends can be removed."""
    first, last = criteria.filings.from_date, criteria.filings.to_date
    numbers = {int(value.value): value.number for value in facet.values}
    is_whole_years = (
        first and last and (first.month, first.day, last.month, last.day) == (1, 1, 12, 31)
    )
    chosen = range(first.year, last.year + 1) if first and last and is_whole_years else range(0)

    def choice(year: int) -> Choice:
        begin, end = _years_with(chosen, year)
        place = address(
            PATH,
            lists,
            offset=None,
            from_date=f"{begin}-01-01" if begin else None,
            to_date=f"{end}-12-31" if end else None,
        )
        return Choice(str(year), numbers.get(year, 0), place, year in chosen)

    newest = sorted(map(choice, numbers), key=lambda bar: (bar.chosen, bar.text), reverse=True)
    most = max(numbers.values(), default=0)
    every = map(choice, range(min(numbers), max(numbers) + 1) if numbers else ())
    bars = [
        Bar(f"{bar.text}: {bar.number:,}", round(bar.number / most, 3), bar.address, bar.chosen)
        for bar in every
    ]
    number_shown = max(SHOWN, sum(bar.chosen for bar in newest))
    return ShownFacet(
        "year", _TITLES["year"], newest[:number_shown], newest[number_shown:], bars, left=0
    )


def _years_with(chosen: range, year: int) -> tuple[int | None, int | None]:
    """Return the first and last year after adding or removing one; None if none is left.

    Removing a year between others keeps only that year.
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

# The parameter of a document's page that holds the filters of the search that found it.
FORMER = "filters"


def filter_words(parameter: Parameter, value: object) -> str:
    """Describe a filter and its value in words."""
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
# A search over all filings drops filters for these companies and documents alone.
_NARROW = [name for name, each in _SHOWN.items() if each.picks == "filer"]
_MOST_FILTERS = 50


def reading_lists(lists: Lists) -> dict[str, Sequence[str]]:
    """Return the parameters of a found document's page: the query, and the filters in one."""
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
    return address(PATH, without_narrow(kept | read))


def without_narrow(lists: Lists) -> dict[str, Sequence[str]]:
    """Remove the filters of companies and single documents from a search."""
    return {name: values for name, values in lists.items() if _CARRIED.get(name) not in _NARROW}


class Chip(NamedTuple):
    """A filter in use, and the address of the page without it."""

    text: str
    address: str


def chips(path: str, lists: Lists, names: Mapping[str, str]) -> list[Chip]:
    """Return a chip for each value of each filter; `names` names companies and industries."""
    chips_found = []
    for parameter in SEARCH.parameters:
        if parameter.name not in _SHOWN:
            continue
        default = DEFAULTS.get(parameter.name, str(parameter.default).lower())
        for spelling in parameter.all_spellings:
            values = lists.get(spelling, ())
            single = parameter.kind != "list"
            for value in (
                [value_given for value_given in values if value_given.strip()]
                if single
                else items(values)
            ):
                if value != default:
                    others = without(lists, spelling, None if single else value)
                    text = filter_words(parameter, value)
                    if parameter.name in ("cik", "sic"):
                        text = names.get(value, text)
                    chips_found.append(Chip(text, address(path, others)))
    return chips_found


class ShownReading(NamedTuple):
    """A recognised part of the question, and the address of the search that reads it exactly."""

    text: str
    meaning: str
    address: str


# The words that introduce a recognised part.
_RECOGNISED = {
    "company": "company {}",
    "person": "person {}",
    "form_type": "form {}",
    "period": "period {}",
    "amount": "amount {}",
    "left_out": "without “{}”",
    "punctuation": "read as words",
}


def readings(lists: Lists, criteria: DocumentCriteria) -> list[ShownReading]:
    """Return the recognised parts of a question; a quoted part is read as written."""
    recognised = criteria.reading.recognised if criteria.reading else ()
    query = next((recognition for recognition in lists.get("query", ()) if recognition.strip()), "")
    shown_readings = []
    for recognition in recognised:
        quoted = f'{query[: recognition.start]}"{recognition.text}"{query[recognition.end :]}'
        is_whole = recognition.start == 0 and recognition.end == len(query)
        exact = {"reading": "exact"} if is_whole else {"query": quoted}
        place = address(PATH, lists, offset=None, **exact)
        text = _RECOGNISED[recognition.kind].format(recognition.text.removeprefix("form "))
        shown_readings.append(ShownReading(text, recognition.meaning, place))
    return shown_readings


# Descriptions of similar queries with the same words.
_WIDER = {"forms": "in all forms of its words", "related": "with related words"}


class NearSearch(NamedTuple):
    """A similar query, the number of documents that it finds, and its address.

    `forms` describes the word forms it finds, if these make it another query.
    """

    query: str
    forms: str
    number: int
    address: str


async def near_searches(
    context: SearchContext, lists: Lists, criteria: DocumentCriteria, total: int
) -> list[NearSearch]:
    """Find similar queries that match more than `total` documents; requests as `find_variants`."""
    word_forms = next(
        variant.strip() for variant in as_asked(lists)["word_forms"] if variant.strip()
    )
    forms = next(variant for variant in WORD_FORMS if variant == word_forms)
    variants = await find_variants(context, criteria, forms, total)
    exact = {"operands": "all", "reading": "exact", "offset": None}
    return [
        NearSearch(
            variant.query,
            _WIDER.get(variant.kind, ""),
            variant.hits,
            address(PATH, lists, query=variant.query, word_forms=variant.word_forms, **exact),
        )
        for variant in variants
        if variant.kind != "spelling"  # The note on the missing word leads there.
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
    """The search without a filter: the filter's name, the number of documents, and the address."""

    left_out: str
    number: int
    address: str


async def widened_searches(context: SearchContext, lists: Lists, max_window: int) -> list[Widened]:
    """Return the search without each of its filters, and without all of them if there are several.

    Makes the engine requests of one `count_documents`, whatever the number of filters.
    """
    ways = _searches_without_filters(lists)
    names = await names_of(context, as_asked(lists))
    searches = [
        search_params(as_asked(left), max_window, names, needs_query=False) for _, left in ways
    ]
    numbers = await count_documents(context, searches) if searches else []
    return [
        Widened(name, number, address(PATH, left))
        for (name, left), number in zip(ways, numbers, strict=True)
    ]


def _searches_without_filters(lists: Lists) -> list[tuple[str, Lists]]:
    groups = [(name, names) for name, names in GROUPS_OF_FILTERS.items() if _is_set(lists, names)]
    ways = [(name, _without(lists, names)) for name, names in groups]
    if len(groups) > 1:
        ways.append(
            (ANY, _without(lists, [filter_name for _, names in groups for filter_name in names]))
        )
    return ways


def _is_set(lists: Lists, names: Sequence[str]) -> bool:
    """Return True if an address gives one of these a value other than the default."""
    return any(
        value.strip() not in ("", DEFAULTS.get(name, "false"))
        for name in names
        for spelling in _SPELLINGS[name]
        for value in lists.get(spelling, ())
    )


def _without(lists: Lists, names: Sequence[str]) -> Lists:
    gone = {*_PLACES, *(spelling for name in names for spelling in _SPELLINGS[name])}
    return {name: values for name, values in lists.items() if name not in gone}
