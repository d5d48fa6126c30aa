"""Which entities are asked for: the parameters of `/v2/entity_lookup`, and of `entity_query`."""

from edgar_search.search.criteria import EntityCriteria, EntitySearch, Window
from edgar_search.web.parameters import types
from edgar_search.web.parameters.reader import Parameters
from edgar_search.web.requests import RequestFields
from edgar_search.web.v2.endpoints import ENTITY_LOOKUP


def entity_params(given: RequestFields) -> EntitySearch:
    """The parameters of `/v2/entity_lookup`; BadRequest names what is wrong."""
    fields = Parameters.of_request(given, ENTITY_LOOKUP.parameters)
    return EntitySearch(entity_filters(fields), window(fields))


def entity_query(fields: Parameters) -> EntityCriteria:
    """The entity filters in the object `entity_query`."""
    inner = fields.fields("entity_query")
    return EntityCriteria() if inner is None else entity_filters(inner)


def entity_filters(fields: Parameters) -> EntityCriteria:
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
        eins=fields.values("eins", types.EIN),
    )


def listed_filters(fields: Parameters) -> EntityCriteria:
    """The entity filters that `/v2/filing_lookup` has at its top level."""
    return EntityCriteria(
        ciks=ciks(fields),
        tickers=fields.upper("tickers"),
        exchanges=fields.upper("exchanges"),
        sics=fields.values("sics", types.SIC),
        states=fields.upper("states"),
    )


def ciks(fields: Parameters) -> tuple[str, ...]:
    """CIKs of 1 to 10 digits, with 10."""
    return fields.values("ciks", types.CIK)


def window(fields: Parameters) -> Window:
    """The rows that are asked for."""
    start = fields.integer("from")
    end = fields.integer("to")
    if start > end:
        raise fields.refusal("from", f"is {start}, which is more than `to`, {end}")
    return Window(start, end)
