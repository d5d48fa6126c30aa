"""Which filings and documents are asked for: the parameters of the other Version 2 endpoints."""

import re
from typing import Literal

from msgspec import Struct

from edgar_search.edgar.identifiers import is_document_id, parse_accession_number
from edgar_search.search.criteria import (
    DocumentCriteria,
    DocumentField,
    DocumentSearch,
    FilingCriteria,
    FilingField,
    FilingSearch,
    Order,
)
from edgar_search.search.language import with_forms
from edgar_search.web.requests import RequestFields
from edgar_search.web.v2.endpoints import (
    DOCUMENT,
    EIGHT_K_ITEMS,
    FILING_INFO,
    FILING_LOOKUP,
    FILING_SECTIONS,
    FULLTEXT_SEARCH,
    MAX_PREFIXES,
)
from edgar_search.web.v2.entity_parameters import (
    ciks,
    entity_query,
    listed_filters,
    window,
)
from edgar_search.web.v2.fields import Fields
from edgar_search.web.v2.search import DEFAULT_FORMS, query_tree

# What each way to sort is called in the search.
FILING_SORTS: dict[str, FilingField] = {
    "filing_date": "filing_date",
    "acceptance_date_time": "accepted_at",
    "report_date": "period",
    "form": "form_type",
    "size": "size",
    "entity_name": "entity_name",
}
DOCUMENT_SORTS: dict[str, DocumentField] = {"filing_date": "filing_date", "_score": "_score"}
ORDERS: dict[str, Order] = {"desc": "desc", "asc": "asc"}

_PREFIX = re.compile(r"\d{1,10}|\d{10}-?\d{0,2}|\d{10}-?\d{2}-?\d{0,6}", re.ASCII)
_ITEM = re.compile(r"(?:ITEM\s*)?(\d{1,2}(?:\.\d{2})?)\.?", re.ASCII)


class DocumentParams(Struct, frozen=True):
    """A document as filed, as it is or inside of JSON."""

    document_id: str
    output_format: Literal["raw", "json"] = "raw"
    convert_xml: bool = False


class SectionParams(Struct, frozen=True):
    """The sections of a document, which is of this form."""

    document_id: str
    form_type: str = "10-K"


def filing_params(given: RequestFields) -> FilingSearch:
    """The parameters of `/v2/filing_lookup`; BadRequest names what is wrong."""
    fields = Fields(given, FILING_LOOKUP.parameters)
    first_day, last_day = fields.days("date_from", "date_to")
    return FilingSearch(
        criteria=FilingCriteria(
            entities=(listed_filters(fields), entity_query(fields)),
            form_types=fields.upper("form_types"),
            excluded_form_types=fields.upper("excluded_form_types"),
            first_day=first_day,
            last_day=last_day,
            items=tuple(dict.fromkeys(_item(fields, item) for item in fields.upper("items"))),
            exclude_amendments=fields.flag("exclude_amendments"),
        ),
        window=window(fields),
        sort_by=FILING_SORTS[fields.choice("sort_by")],
        order=ORDERS[fields.choice("sort_order")],
    )


def full_text_params(given: RequestFields) -> DocumentSearch:
    """The parameters of `/v2/fulltext_search`; BadRequest names what is wrong."""
    fields = Fields(given, FULLTEXT_SEARCH.parameters)
    first_day, last_day = fields.days("date_from", "date_to")
    numbers, prefixes = _numbers_and_prefixes(fields)
    query_type = fields.choice("query_type")
    query = query_tree(_needed(fields, "query"), query_type)
    word_forms = fields.choice("word_forms", DEFAULT_FORMS[query_type])
    filings = FilingCriteria(
        ciks=ciks(fields),
        entities=(entity_query(fields),),
        form_types=fields.upper("form_types"),
        first_day=first_day,
        last_day=last_day,
        numbers=numbers,
        number_prefixes=prefixes,
    )
    return DocumentSearch(
        criteria=DocumentCriteria(with_forms(query, word_forms), filings),
        window=window(fields),
        sort_by=DOCUMENT_SORTS[fields.choice("sort_by")],
        order=ORDERS[fields.choice("sort_order")],
    )


def filing_number(given: RequestFields) -> str:
    """The accession number that `/v2/filing_info` is asked for."""
    fields = Fields(given, FILING_INFO.parameters)
    return _number(fields, "accession_number", _needed(fields, "accession_number").strip())


def filing_numbers(given: RequestFields) -> tuple[str, ...]:
    """The accession numbers that `/v2/8k_items` is asked for."""
    fields = Fields(given, EIGHT_K_ITEMS.parameters)
    items = fields.items("accession_numbers")
    if not items:
        raise fields.wrong("accession_numbers", "is missing")
    return tuple(dict.fromkeys(_number(fields, "accession_numbers", item) for item in items))


def document_params(given: RequestFields) -> DocumentParams:
    """The parameters of `/v2/document`."""
    fields = Fields(given, DOCUMENT.parameters)
    as_json = fields.choice("output_format") == "json"
    convert = fields.flag("convert_xml_to_json")
    if convert and not as_json:
        raise fields.wrong("convert_xml_to_json", "goes with output_format json only")
    return DocumentParams(_document_id(fields), "json" if as_json else "raw", convert)


def section_params(given: RequestFields) -> SectionParams:
    """The parameters of `/v2/filing_sections`."""
    fields = Fields(given, FILING_SECTIONS.parameters)
    form_type = fields.choice("form_type")
    return SectionParams(_document_id(fields), form_type)


def _needed(fields: Fields, name: str) -> str:
    text = fields.text(name)
    if text is None:
        raise fields.wrong(name, "is missing")
    return text


def _document_id(fields: Fields) -> str:
    text = _needed(fields, "document_id").strip()
    if not is_document_id(text):
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
