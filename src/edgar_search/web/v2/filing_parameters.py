"""Which filings and documents are asked for: the parameters of the other Version 2 endpoints."""

import re
from datetime import date
from typing import Literal

from msgspec import Struct

from edgar_search.edgar.identifiers import ACCESSION_NUMBER, parse_accession_number
from edgar_search.search.language import Node
from edgar_search.web.v2.entity_parameters import (
    WINDOW_NAMES,
    EntityFilters,
    Window,
    ciks,
    entity_query,
    listed_filters,
    window,
)
from edgar_search.web.v2.given import Fields, Given
from edgar_search.web.v2.words import QUERY_TYPES, query_tree

MAX_NUMBERS = 100
# Each is a clause of its own.
MAX_PREFIXES = 100

FILING_SORTS = (
    "filing_date",
    "acceptance_date_time",
    "report_date",
    "form",
    "size",
    "entity_name",
)
REPORT_FORMS = ("10-K", "10-Q")
DOCUMENT_SORTS = ("filing_date", "_score")
ORDERS = ("desc", "asc")
_FILING_NAMES = (
    "api_key",
    "ciks",
    "tickers",
    "exchanges",
    "sics",
    "states",
    "entity_query",
    "form_types",
    "excluded_form_types",
    "date_from",
    "date_to",
    "items",
    "exclude_amendments",
    "sort_by",
    "sort_order",
    *WINDOW_NAMES,
)
_SEARCH_NAMES = (
    "api_key",
    "query",
    "query_type",
    "entity_query",
    "ciks",
    "form_types",
    "accession_numbers",
    "date_from",
    "date_to",
    "sort_by",
    "sort_order",
    *WINDOW_NAMES,
)
_PREFIX = re.compile(r"\d{1,10}|\d{10}-?\d{0,2}|\d{10}-?\d{2}-?\d{0,6}", re.ASCII)
_DOCUMENT = re.compile(ACCESSION_NUMBER + "-[0-9]{1,9}")
_ITEM = re.compile(r"(?:ITEM\s*)?(\d{1,2}(?:\.\d{2})?)\.?", re.ASCII)


class FilingFilters(Struct, frozen=True):
    """What a filing is to be beside its entities; an empty filter asks nothing."""

    form_types: tuple[str, ...] = ()
    excluded_form_types: tuple[str, ...] = ()
    first_day: date | None = None
    last_day: date | None = None
    items: tuple[str, ...] = ()
    exclude_amendments: bool = False


class FilingParams(Struct, frozen=True):
    """A look-up of filings."""

    entities: tuple[EntityFilters, ...]
    filters: FilingFilters
    window: Window
    sort_by: str = "filing_date"
    sort_order: str = "desc"


class FullTextParams(Struct, frozen=True):
    """A full-text search; `prefixes` are beginnings of accession numbers."""

    query: Node
    ciks: tuple[str, ...]
    entities: EntityFilters
    filters: FilingFilters
    numbers: tuple[str, ...]
    prefixes: tuple[str, ...]
    window: Window
    sort_by: str = "filing_date"
    sort_order: str = "desc"


class DocumentParams(Struct, frozen=True):
    """A document as filed, as it is or inside of JSON."""

    document_id: str
    output_format: Literal["raw", "json"] = "raw"
    convert_xml: bool = False


class SectionParams(Struct, frozen=True):
    """The sections of a document, which is of this form."""

    document_id: str
    form_type: str = "10-K"


def filing_params(given: Given) -> FilingParams:
    """The parameters of `/v2/filing_lookup`; BadRequest names what is wrong."""
    fields = Fields(given, _FILING_NAMES)
    first_day, last_day = fields.days("date_from", "date_to")
    return FilingParams(
        entities=(listed_filters(fields), entity_query(fields)),
        filters=FilingFilters(
            form_types=fields.upper("form_types"),
            excluded_form_types=fields.upper("excluded_form_types"),
            first_day=first_day,
            last_day=last_day,
            items=tuple(dict.fromkeys(_item(fields, item) for item in fields.upper("items"))),
            exclude_amendments=fields.flag("exclude_amendments"),
        ),
        window=window(fields),
        sort_by=fields.choice("sort_by", FILING_SORTS, "filing_date"),
        sort_order=fields.choice("sort_order", ORDERS, "desc"),
    )


def full_text_params(given: Given) -> FullTextParams:
    """The parameters of `/v2/fulltext_search`; BadRequest names what is wrong."""
    fields = Fields(given, _SEARCH_NAMES)
    first_day, last_day = fields.days("date_from", "date_to")
    numbers, prefixes = _numbers_and_prefixes(fields)
    kind = fields.choice("query_type", QUERY_TYPES, "match")
    return FullTextParams(
        query=query_tree(_needed(fields, "query"), kind),
        ciks=ciks(fields),
        entities=entity_query(fields),
        filters=FilingFilters(fields.upper("form_types"), (), first_day, last_day),
        numbers=numbers,
        prefixes=prefixes,
        window=window(fields),
        sort_by=fields.choice("sort_by", DOCUMENT_SORTS, "filing_date"),
        sort_order=fields.choice("sort_order", ORDERS, "desc"),
    )


def filing_number(given: Given) -> str:
    """The accession number that `/v2/filing_info` is asked for."""
    fields = Fields(given, ("api_key", "accession_number"))
    return _number(fields, "accession_number", _needed(fields, "accession_number").strip())


def filing_numbers(given: Given) -> tuple[str, ...]:
    """The accession numbers that `/v2/8k_items` is asked for."""
    fields = Fields(given, ("api_key", "accession_numbers"))
    items = fields.items("accession_numbers", MAX_NUMBERS)
    if not items:
        raise fields.wrong("accession_numbers", "is missing")
    return tuple(dict.fromkeys(_number(fields, "accession_numbers", item) for item in items))


def document_params(given: Given) -> DocumentParams:
    """The parameters of `/v2/document`."""
    fields = Fields(given, ("api_key", "document_id", "output_format", "convert_xml_to_json"))
    as_json = fields.choice("output_format", ("raw", "json"), "raw") == "json"
    convert = fields.flag("convert_xml_to_json")
    if convert and not as_json:
        raise fields.wrong("convert_xml_to_json", "goes with output_format json only")
    return DocumentParams(_document_id(fields), "json" if as_json else "raw", convert)


def section_params(given: Given) -> SectionParams:
    """The parameters of `/v2/filing_sections`."""
    fields = Fields(given, ("api_key", "document_id", "form_type"))
    form_type = fields.choice("form_type", REPORT_FORMS, "10-K")
    return SectionParams(_document_id(fields), form_type)


def _needed(fields: Fields, name: str) -> str:
    text = fields.text(name)
    if text is None:
        raise fields.wrong(name, "is missing")
    return text


def _document_id(fields: Fields) -> str:
    text = _needed(fields, "document_id").strip()
    if not _DOCUMENT.fullmatch(text):
        raise fields.wrong(
            "document_id", "no document id; it is an accession number, a dash and a number"
        )
    return text


def _number(fields: Fields, name: str, item: str) -> str:
    number = parse_accession_number(item)
    if number is None:
        raise fields.wrong(
            name, f"{item[:40]} is no accession number; it has the form 0000320193-24-000123"
        )
    return number


def _numbers_and_prefixes(fields: Fields) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Whole accession numbers, and beginnings of some."""
    name = "accession_numbers"
    numbers, prefixes = [], []
    for item in fields.items(name):
        if parse_accession_number(item):
            numbers.append(_number(fields, name, item))
        elif _PREFIX.fullmatch(item):
            prefixes.append(_prefix(item))
        else:
            raise fields.wrong(name, f"{item[:40]} is no accession number nor the beginning of one")
    if len(prefixes) > MAX_PREFIXES:
        raise fields.wrong(name, f"{len(prefixes)} beginnings; at most {MAX_PREFIXES} are possible")
    return tuple(dict.fromkeys(numbers)), tuple(dict.fromkeys(prefixes))


def _prefix(item: str) -> str:
    """The beginning of an accession number, with its dashes."""
    digits = item.replace("-", "")
    parts = [part for part in (digits[:10], digits[10:12], digits[12:]) if part]
    # A dash at the end counts: `0000320193-` leaves nothing open.
    return "-".join(parts) + ("-" if item.endswith("-") else "")


def _item(fields: Fields, item: str) -> str:
    match = _ITEM.fullmatch(item)
    if match is None:
        raise fields.wrong("items", f"{item[:40]} is no item of an 8-K; it has the form 1.01")
    return match[1]
