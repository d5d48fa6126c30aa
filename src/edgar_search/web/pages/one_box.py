"""Pages that a typed text may name: filings, companies, persons, forms and items."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from starlette.requests import Request

from edgar_search.edgar.form_types import FAMILIES, form_named, is_ordinary, same_forms
from edgar_search.edgar.identifiers import (
    accession_of,
    is_document_id,
    parse_accession_number,
    parse_cik,
)
from edgar_search.edgar.items import EIGHT_K_ITEMS
from edgar_search.search.entities import (
    MOST_SUGGESTED,
    SuggestedCompany,
    entities_of,
    suggested_companies,
)
from edgar_search.search.filings import filings_of
from edgar_search.search.reading.names import NO_NAMES, Names, core_of_name
from edgar_search.search.reading.names import is_ordinary as is_english
from edgar_search.search.reading.question import Reading
from edgar_search.search.reading.words import GIVEN_NAMES
from edgar_search.stored.entities import StoredEntity
from edgar_search.text.words import tokens
from edgar_search.web.pages.links import Lists, address
from edgar_search.web.pages.templates import day
from edgar_search.web.service import service

# A text with more words is a question, and hardly the beginning of a name.
_MOST_WORDS, _MOST_CHARS = 5, 200
_MOST_COMPANIES = 5
_CIK = re.compile(r"(?:CIK\s*:?\s*)?([0-9]{1,10})", re.IGNORECASE)
_ITEM = re.compile(r"(?i)(?<!\S)8-?K(/A)?\s*(?:items?\s*)?([1-9]\.[0-9]{2})(?!\S)")
_EXHIBIT = re.compile(r"(?i)(?<!\S)EX-?([1-9][0-9]{0,2}(?:\.[0-9A-Z]+)?)(?!\S)")
# The most words in the name of a form, including "form".
_LONGEST_FORM = 4
# As few capitals as these may mean anything.
_SHORT = 2
_ITEM_TITLES = {item.number: item.name for item in EIGHT_K_ITEMS}
# A question that names filings and nothing beyond these is the name of a list.
_OF_A_LIST = ("company", "form_type", "period")
# If more companies share a name, none of them is meant alone.
_MOST_OF_A_NAME = 5


class Thing(NamedTuple):
    """Something that a text names, with a description and its page."""

    kind: str
    text: str
    detail: str
    address: str


async def named_things(
    request: Request, query: str, names: Names, *, sure: bool = False
) -> list[Thing]:
    """Return the things that a text names.

    `names` are companies named in the middle of other words. If `sure`, only a whole name, ticker
    or CIK names a company, or the first word of its name if no other begins so.
    """
    query = query.strip()
    if not query or len(query) > _MOST_CHARS:
        return []
    filings = await _filings(request, query)
    companies = [] if filings else await _companies(request, query, names, sure=sure)
    return [*filings, *companies, *forms_and_items(query)]


def forms_and_items(query: str) -> list[Thing]:
    """Return the filings of a form, of an 8-K item, or the exhibits, that a text names."""
    filings = _find_filings(query)
    if filings is None:
        return []
    other_words = _without(query, (filings.start, filings.end))
    place = address("/search", query=other_words, **filings.filters)
    return [Thing(filings.kind, filings.text, filings.detail, place)]


async def list_of_filings(request: Request, query: str, reading: Reading) -> Lists | None:
    """Return the filters of a list, if a question names filings and asks nothing else.

    Besides a form, an item or a type of exhibit it may name a company and a period. None if it has
    other words.
    """
    filings = _find_filings(query) if len(query) <= _MOST_CHARS else None
    if filings is None:
        return None
    spans = [(filings.start, filings.end)]
    spans += [
        (recognition.start, recognition.end)
        for recognition in reading.recognised
        if recognition.kind in _OF_A_LIST
    ]
    other_words = _without(query, *spans)
    ciks = reading.boosts.ciks
    if tokens(other_words):
        # A company's name alone is not enough for a reading, but it is beside a form.
        ciks = await _sure_ciks(request, other_words) if not ciks else ()
        if not ciks:
            return None
    if len(ciks) > _MOST_OF_A_NAME:
        return None
    days: dict[str, str] = {}
    if periods := reading.boosts.periods:
        days["period_from"] = min(recognition.first for recognition in periods).isoformat()
        days["period_to"] = max(recognition.last for recognition in periods).isoformat()
    only = {} if filings.kind == "document" else {"primary": "true"}
    filters = await _known_forms(request, filings.filters)
    listed = {"cik": ",".join(ciks), **filters, **days, **only}
    return {name: [value] for name, value in listed.items() if value}


async def _known_forms(request: Request, filters: dict[str, str]) -> dict[str, str]:
    """Drop forms that no stored filing has, about which a list would warn."""
    if "form_family" not in filters:
        return filters
    forms = filters["form_family"].split(",")
    unknown, _ = await service(request).context.known.unknown_families(forms)
    known = [form for form in forms if form not in unknown]
    return {"form_family": ",".join(known)} if 0 < len(known) < len(forms) else filters


async def _sure_ciks(request: Request, name: str) -> tuple[str, ...]:
    """Return the CIK of the one company that certainly has a name, or none."""
    entities = await _entities(request, name, NO_NAMES, sure=True)
    return (entities[0][0].cik,) if len(entities) == 1 else ()


class _Filings(NamedTuple):
    """Filings or documents that a text names, their filters, and the position of the name."""

    kind: str
    text: str
    detail: str
    filters: dict[str, str]
    start: int
    end: int


def _find_filings(query: str) -> _Filings | None:
    if (item := _ITEM.search(query)) is not None and item[2] in _ITEM_TITLES:
        form, title = f"8-K{(item[1] or '').upper()}", _ITEM_TITLES[item[2]]
        filters = {"form_type": form, "item": item[2]}
        return _Filings("item", f"{form} item {item[2]}", title, filters, *item.span())
    if (exhibit := _EXHIBIT.search(query)) is not None:
        kind = f"EX-{exhibit[1].upper()}"
        only = "only exhibits of this type"
        return _Filings("document", kind, only, {"document_type": kind}, *exhibit.span())
    forms = _find_forms(query)
    if forms is None:
        return None
    joined = ",".join(forms.forms)
    amended = forms.forms[0].endswith("/A")
    of = "of these forms" if len(forms.forms) > 1 else "of this form"
    detail = f"only filings {of}" + ("" if amended else " and their amendments")
    filters = {"form_type" if amended else "form_family": joined}
    return _Filings("form", forms.name, detail, filters, forms.start, forms.end)


class _Forms(NamedTuple):
    """Forms that a text names, with the position of the name."""

    name: str
    forms: Sequence[str]
    start: int
    end: int


def _find_forms(query: str) -> _Forms | None:
    """Return the forms of the longest name in a text.

    Words and numbers that are forms need "form".
    """
    words = list(re.finditer(r"\S+", query))
    for length in range(_LONGEST_FORM, 0, -1):
        for first, last in zip(words, words[length - 1 :], strict=False):
            place = first.start(), last.end()
            text = " ".join(query[slice(*place)].split())
            family = FAMILIES.get(text.lower().removesuffix("s"))
            if family:
                return _Forms(text.capitalize(), family, *place)
            form = form_named(text)
            if form and _is_meant(text, form):
                forms = same_forms(form)
                return _Forms(
                    " or ".join(f"Form {form_name}" for form_name in forms), forms, *place
                )
    return None


def _is_meant(text: str, form: str) -> bool:
    """Return True if a text names a form rather than being another word or a number."""
    if not is_ordinary(form.removesuffix("/A")) or text.lower().startswith("form"):
        return True
    return text == form and not form.isdigit() and len(form) > _SHORT


def _without(query: str, *spans: tuple[int, int]) -> str:
    """Return a text without these spans, which may overlap."""
    kept = (
        " " if any(start <= at < end for start, end in spans) else char
        for at, char in enumerate(query)
    )
    return " ".join("".join(kept).split())


async def _filings(request: Request, query: str) -> list[Thing]:
    number = accession_of(query) if is_document_id(query) else parse_accession_number(query)
    if number is None:
        return []
    filings = await filings_of(service(request).engine, [number])
    place = f"/document/{query}" if is_document_id(query) else f"/filing/{number}"
    return [
        Thing(
            "filing",
            f"{filing.entity_name or number}, {filing.form_type}",
            f"{number}, filed {day(filing.filing_date)}",
            place,
        )
        for filing in filings
    ]


async def _companies(request: Request, query: str, names: Names, *, sure: bool) -> list[Thing]:
    entities = await _entities(request, query, names, sure=sure)
    return [_company(entity, tickers) for entity, tickers in entities]


async def _entities(
    request: Request, query: str, names: Names, *, sure: bool
) -> list[tuple[StoredEntity, list[str]]]:
    """Return the entities that a text names, each with its tickers."""
    context = service(request).context
    table = await context.tickers.table()
    number = _CIK.fullmatch(query)
    ciks = [parse_cik(number[1]) or ""] if number else []
    ciks += [cik for ciks_of_name in names.values() for cik in ciks_of_name]
    name = _without_forms(query)
    texts = [name, *names]
    ciks_of_name: Sequence[SuggestedCompany] = ()
    if name and len(name.split()) <= _MOST_WORDS and not number:
        ciks_of_name = (await suggested_companies(context.engine, table, name)).companies
    ciks += [company.cik for company in ciks_of_name]
    wanted = list(dict.fromkeys(ciks))[:_MOST_COMPANIES]
    entities = {company.cik: company for company in await entities_of(context.engine, wanted)}
    wanted_entities = [entities[cik] for cik in wanted if cik in entities]
    known = [(company, table.tickers(company.cik)) for company in wanted_entities]
    if sure and not number:
        only = only_begun(name, ciks_of_name)
        known = [
            (company, tickers)
            for company, tickers in known
            if is_named(company, tickers, texts)
            or (company.cik == only and _is_company(company, tickers))
        ]
    return known


def is_named(entity: StoredEntity, tickers: Sequence[str], texts: Sequence[str]) -> bool:
    """Return True if one of these texts is a whole name of an entity, or one of its tickers."""
    return any(_is_name(entity, text) or _is_ticker(tickers, text) for text in texts if text)


def only_begun(text: str, found: Sequence[SuggestedCompany]) -> str | None:
    """Return the CIK of the only company whose name begins with a text of one word.

    None for an English word.
    """
    core = core_of_name(text)
    if len(core) != 1 or core[0] in GIVEN_NAMES or is_english(core[0]):
        return None
    # If the maximum is suggested, there may be more.
    if len(found) >= MOST_SUGGESTED:
        return None
    begun = [each.cik for each in found if core_of_name(each.former or each.name)[:1] == core]
    return begun[0] if len(begun) == 1 else None


def _is_name(entity: StoredEntity, text: str) -> bool:
    core = core_of_name(text)
    if len(core) == 1 and core[0] in GIVEN_NAMES:
        return False  # "Martha" is a person
    former = [former_name.name for former_name in entity.former_names or []]
    return any(core_of_name(name) == core for name in (entity.name or "", *former))


def _is_ticker(tickers: Sequence[str], text: str) -> bool:
    """Return True for a ticker; an English word is one only in capitals, or after a dollar sign."""
    plain = text.removeprefix("$").upper()
    return plain in tickers and (text == text.upper() or not is_english(text.lower()))


def _without_forms(query: str) -> str:
    """Return a text without the form or item beside a name."""
    if (item := _ITEM.search(query)) is not None:
        return _without(query, item.span())
    forms = _find_forms(query)
    return query if forms is None else _without(query, (forms.start, forms.end))


def _company(entity: StoredEntity, tickers: list[str]) -> Thing:
    details = [", ".join(tickers[:3]), entity.sic_description or "", f"CIK {int(entity.cik)}"]
    kind = "company" if _is_company(entity, tickers) else "person or company"
    detail = " · ".join(detail_part for detail_part in details if detail_part)
    return Thing(kind, entity.name or f"CIK {int(entity.cik)}", detail, f"/company/{entity.cik}")


def _is_company(entity: StoredEntity, tickers: Sequence[str]) -> bool:
    """Return True if an entity is certainly no person: it has an industry or a fiscal year end."""
    return bool(tickers or entity.sic or entity.fiscal_year_end)
