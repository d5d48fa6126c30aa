"""Things that a typed text names: filings, companies, persons, forms and items, before any text."""

import re
from typing import NamedTuple

from starlette.requests import Request

from edgar_search.edgar.identifiers import (
    accession_of,
    is_document_id,
    parse_accession_number,
    parse_cik,
)
from edgar_search.edgar.items import EIGHT_K_ITEMS
from edgar_search.search.entities import entities_of, suggested_companies
from edgar_search.search.filings import filings_of
from edgar_search.search.language.tree import QueryError
from edgar_search.search.reading.names import NO_NAMES, Names
from edgar_search.search.reading.question import read_question
from edgar_search.stored.entities import StoredEntity
from edgar_search.web.pages.links import address
from edgar_search.web.pages.templates import day
from edgar_search.web.service import service

# A text of more words is a question, and hardly the beginning of a name.
_MOST_WORDS, _MOST_CHARS = 5, 200
_MOST_COMPANIES = 5
_CIK = re.compile(r"(?:CIK\s*:?\s*)?([0-9]{1,10})", re.IGNORECASE)
_ITEM = re.compile(r"(?i)(?<!\S)8-?K(/A)?\s*(?:items?\s*)?([1-9]\.[0-9]{2})(?!\S)")
# A form beside a name, with an item or without.
_FORM = re.compile(
    r"(?i)(?<!\S)(?:form\s+)?(?:8-?k|10-?[kq]|20-?f|40-?f|def 14a|s-?1)(?:/a)?"
    r"(?:\s+(?:items?\s+)?[1-9]\.[0-9]{2})?(?!\S)"
)
_ITEM_TITLES = {item.number: item.name for item in EIGHT_K_ITEMS}


class Thing(NamedTuple):
    """A thing that a text names, what is known of it, and its page."""

    kind: str
    text: str
    detail: str
    address: str


async def named_things(request: Request, query: str, names: Names, account: str) -> list[Thing]:
    """The things that a text names; `names` are companies that it names amid other words."""
    query = query.strip()
    if not query or len(query) > _MOST_CHARS:
        return []
    filings = await _filings(request, query, account)
    companies = [] if filings else await _companies(request, query, names, account)
    return [*filings, *companies, *forms_and_items(query, names)]


def forms_and_items(query: str, names: Names = NO_NAMES) -> list[Thing]:
    """The filings of a form, or of an item of Form 8-K, that a text names."""
    if (item := _ITEM.search(query)) is not None and item[2] in _ITEM_TITLES:
        form = f"8-K{(item[1] or '').upper()}"
        place = address(
            "/search", query=_without(query, *item.span()), form_type=form, item=item[2]
        )
        return [Thing("item", f"{form} item {item[2]}", _ITEM_TITLES[item[2]], place)]
    try:
        recognised = read_question(query, names).recognised
    except QueryError:
        return []
    if any(each.kind == "punctuation" for each in recognised):
        return []  # its places are those of another text
    return [
        Thing(
            "form",
            f"Form {each.text}",
            "only filings of this form",
            address("/search", query=_without(query, each.start, each.end), form_family=form),
        )
        for each in recognised
        if each.kind == "form_type" and (form := _form_of(each.meaning))
    ][:1]


def _form_of(meaning: str) -> str:
    """The first form of a recognition, by what it says."""
    found = re.search(r"of form ([^ ,]+)", meaning)
    return found[1] if found else ""


def _without(query: str, start: int, end: int) -> str:
    return " ".join(f"{query[:start]} {query[end:]}".split())


async def _filings(request: Request, query: str, account: str) -> list[Thing]:
    number = accession_of(query) if is_document_id(query) else parse_accession_number(query)
    if number is None:
        return []
    found = await filings_of(service(request).engine, [number], account)
    place = f"/document/{query}" if is_document_id(query) else f"/filing/{number}"
    return [
        Thing(
            "filing",
            f"{each.entity_name or number}, {each.form_type}",
            f"{number}, filed {day(each.filing_date)}",
            place,
        )
        for each in found
    ]


async def _companies(request: Request, query: str, names: Names, account: str) -> list[Thing]:
    context = service(request).context
    table = await context.tickers.table()
    number = _CIK.fullmatch(query)
    ciks = [parse_cik(number[1]) or ""] if number else []
    ciks += [cik for found in names.values() for cik in found]
    name = " ".join(_FORM.sub(" ", query).split())
    if name and len(name.split()) <= _MOST_WORDS and not number:
        ciks += [each.cik for each in await suggested_companies(context.engine, table, name)]
    wanted = list(dict.fromkeys(ciks))[:_MOST_COMPANIES]
    entities = {each.cik: each for each in await entities_of(context.engine, wanted, account)}
    return [_company(entities[cik], table.tickers(cik)) for cik in wanted if cik in entities]


def _company(entity: StoredEntity, tickers: list[str]) -> Thing:
    known = [", ".join(tickers[:3]), entity.sic_description or "", f"CIK {int(entity.cik)}"]
    # Persons have neither an industry nor a year.
    kind = "company" if tickers or entity.sic or entity.fiscal_year_end else "person or company"
    detail = " · ".join(each for each in known if each)
    return Thing(kind, entity.name or f"CIK {int(entity.cik)}", detail, f"/company/{entity.cik}")
