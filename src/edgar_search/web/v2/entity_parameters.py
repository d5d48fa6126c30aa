"""Which entities are asked for: the parameters of `/v2/entity_lookup`, and of `entity_query`."""

import re

from edgar_search.search.criteria import EntityCriteria, EntitySearch, Window
from edgar_search.web.parameters import as_cik, as_sic
from edgar_search.web.requests import RequestFields
from edgar_search.web.v2.endpoints import ENTITY_LOOKUP
from edgar_search.web.v2.fields import Fields

_EIN = re.compile(r"\d{1,9}", re.ASCII)


def entity_params(given: RequestFields) -> EntitySearch:
    """The parameters of `/v2/entity_lookup`; BadRequest names what is wrong."""
    fields = Fields(given, ENTITY_LOOKUP.parameters)
    return EntitySearch(entity_filters(fields), window(fields))


def entity_query(fields: Fields) -> EntityCriteria:
    """The entity filters in the object `entity_query`."""
    inner = fields.object("entity_query")
    return EntityCriteria() if inner is None else entity_filters(inner)


def entity_filters(fields: Fields) -> EntityCriteria:
    """All entity filters."""
    listed = listed_filters(fields)
    return EntityCriteria(
        ciks=listed.ciks,
        tickers=listed.tickers,
        exchanges=listed.exchanges,
        sics=listed.sics,
        states=listed.states,
        index_tickers=fields.upper("index_tickers"),
        entity_types=fields.upper("entity_types"),
        name_includes=fields.items("name_includes"),
        name_excludes=fields.items("name_excludes"),
        eins=tuple(dict.fromkeys(_ein(fields, item) for item in fields.items("eins"))),
    )


def listed_filters(fields: Fields) -> EntityCriteria:
    """The entity filters that `/v2/filing_lookup` has at its top level."""
    return EntityCriteria(
        ciks=ciks(fields),
        tickers=fields.upper("tickers"),
        exchanges=fields.upper("exchanges"),
        sics=tuple(dict.fromkeys(as_sic("sics", item) for item in fields.items("sics"))),
        states=fields.upper("states"),
    )


def ciks(fields: Fields) -> tuple[str, ...]:
    """CIKs of 1 to 10 digits, with 10."""
    return tuple(dict.fromkeys(as_cik("ciks", item, False) for item in fields.items("ciks")))


def window(fields: Fields) -> Window:
    """The rows that are asked for."""
    start = fields.integer("from")
    end = fields.integer("to")
    if start > end:
        raise fields.wrong("from", f"{start} is more than to, which is {end}")
    return Window(start, end)


def _ein(fields: Fields, item: str) -> str:
    digits = item.replace("-", "")
    if not _EIN.fullmatch(digits):
        raise fields.wrong("eins", f"{item} is no EIN; it has 9 digits")
    return digits.zfill(9)
