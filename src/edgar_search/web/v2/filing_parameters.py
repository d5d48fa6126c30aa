"""Which filings and documents are asked for: the parameters of the other Version 2 endpoints."""

import re
from typing import Literal

from msgspec import Struct

from edgar_search.edgar.identifiers import parse_accession_number
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
from edgar_search.web.parameters import types
from edgar_search.web.parameters.reader import Parameters
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
from edgar_search.web.v2.search import DEFAULT_FORMS, query_tree

# Ways to sort by their names, as fields of the search.
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
    fields = Parameters.of_request(given, FILING_LOOKUP.parameters)
    first_day, last_day = fields.days("date_from", "date_to")
    return FilingSearch(
        criteria=FilingCriteria(
            entities=(listed_filters(fields), entity_query(fields)),
            form_types=fields.upper("form_types"),
            excluded_form_types=fields.upper("excluded_form_types"),
            first_day=first_day,
            last_day=last_day,
            items=fields.values("items", types.HEADED_ITEM),
            exclude_amendments=fields.flag("exclude_amendments"),
        ),
        window=window(fields),
        sort_by=FILING_SORTS[fields.choice("sort_by")],
        order=ORDERS[fields.choice("sort_order")],
    )


def full_text_params(given: RequestFields) -> DocumentSearch:
    """The parameters of `/v2/fulltext_search`; BadRequest names what is wrong."""
    fields = Parameters.of_request(given, FULLTEXT_SEARCH.parameters)
    first_day, last_day = fields.days("date_from", "date_to")
    numbers, prefixes = _numbers_and_prefixes(fields)
    query_type = fields.choice("query_type")
    query = query_tree(fields.required_text("query"), query_type)
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
    fields = Parameters.of_request(given, FILING_INFO.parameters)
    return fields.required_value("accession_number", types.ACCESSION_NUMBER)


def filing_numbers(given: RequestFields) -> tuple[str, ...]:
    """The accession numbers that `/v2/8k_items` is asked for."""
    fields = Parameters.of_request(given, EIGHT_K_ITEMS.parameters)
    numbers = fields.values("accession_numbers", types.ACCESSION_NUMBER)
    if not numbers:
        raise fields.refusal("accession_numbers", "is missing")
    return numbers


def document_params(given: RequestFields) -> DocumentParams:
    """The parameters of `/v2/document`."""
    fields = Parameters.of_request(given, DOCUMENT.parameters)
    as_json = fields.choice("output_format") == "json"
    convert = fields.flag("convert_xml_to_json")
    if convert and not as_json:
        raise fields.refusal("convert_xml_to_json", "needs `output_format` json")
    return DocumentParams(
        fields.required_value("document_id", types.DOCUMENT_ID),
        "json" if as_json else "raw",
        convert,
    )


def section_params(given: RequestFields) -> SectionParams:
    """The parameters of `/v2/filing_sections`."""
    fields = Parameters.of_request(given, FILING_SECTIONS.parameters)
    form_type = fields.choice("form_type")
    return SectionParams(fields.required_value("document_id", types.DOCUMENT_ID), form_type)


def _numbers_and_prefixes(fields: Parameters) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Whole accession numbers, and beginnings of some."""
    name = "accession_numbers"
    numbers, prefixes = [], []
    for item in fields.items(name):
        number = parse_accession_number(item)
        if number:
            numbers.append(number)
        elif _PREFIX.fullmatch(item):
            prefixes.append(_prefix(item))
        else:
            raise fields.refusal(
                name, f"must be an accession number or the beginning of one, not `{item[:40]}`"
            )
    if len(prefixes) > MAX_PREFIXES:
        raise fields.refusal(
            name, f"may have at most {MAX_PREFIXES} beginnings, not {len(prefixes)}"
        )
    return tuple(dict.fromkeys(numbers)), tuple(dict.fromkeys(prefixes))


def _prefix(item: str) -> str:
    """The beginning of an accession number, with its dashes."""
    digits = item.replace("-", "")
    parts = [part for part in (digits[:10], digits[10:12], digits[12:]) if part]
    # A dash at the end counts: `0000320193-` leaves nothing open.
    return "-".join(parts) + ("-" if item.endswith("-") else "")
