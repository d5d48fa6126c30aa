"""Addresses of every page, each with something that an installation has."""

from collections.abc import Sequence
from typing import Any, NamedTuple
from urllib.parse import quote

from msgspec import Struct, field

from edgar_search.edgar.identifiers import accession_of
from edgar_search.engine.engine import Engine
from edgar_search.engine.index_names import Kind

# Bytes of a document whose first screen is timed, and how many of them.
LONG, _MOST_LONG = 2_000_000, 5
OWN = (
    "/account",
    "/account/usage",
    "/account/alerts",
    "/account/notifications",
    "/account/mail",
    "/account/webhooks",
    "/account/favorites",
    "/account/links",
    "/account/history",
)
_SECTION = "item1a"
_MOST_SECTIONS = 1_000
_CITED = "“risk factors”"


class Address(NamedTuple):
    """A page's address by the path of its route; `own` pages are of a user who has signed in."""

    route: str
    path: str
    own: bool = False


class Found(NamedTuple):
    """Pages with something to show, the risk factors to compare, and long documents."""

    pages: list[Address]
    compared: str | None
    long: list[str]


class _Section(Struct):
    document_id: str
    text_start: int | None = None
    text_end: int | None = None


class _SectionHit(Struct):
    source: _Section = field(name="_source")


class _Fields(Struct):
    document_id: list[str]
    ciks: list[str]


class _DocumentHit(Struct):
    fields: _Fields


class _Row(Struct):
    accession_number: str = ""
    cik: str | None = None
    issuer_cik: str | None = None
    owner_ciks: list[str] = []
    manager_cik: str | None = None


class _RowHit(Struct):
    source: _Row = field(name="_source")


async def find_addresses(engine: Engine) -> Found:
    """Return the addresses; pages for which the installation has nothing are left out."""
    long = await _documents(
        engine,
        {"bool": {"filter": [{"range": {"size": {"gte": LONG}}}, {"term": {"archived": True}}]}},
        [{"size": "asc"}, {"document_id": "asc"}],
        _MOST_LONG,
    )
    pair = await _risk_factors(engine)
    document = pair[0] if pair else (await _documents(engine, {"match_all": {}}, [], 1))[0][0]
    trade, report, statements = [
        await _newest(engine, kind) for kind in ("insider_trades", "manager_reports", "financials")
    ]
    filing = accession_of(document)
    ciks = [
        trade and trade.issuer_cik,
        trade and next(iter(trade.owner_ciks), None),
        report and report.manager_cik,
        statements and statements.cik,
    ]
    pages = [
        Address("/", "/"),
        Address("/search", "/search?query=revenue"),
        Address("/search", "/search?query=goodwill+impairment&group_by=filing"),
        Address("/screen", "/screen?figures=revenue%3E0"),
        Address("/search/matches", "/search/matches?query=goodwill+impairment"),
        Address("/search.atom", "/search.atom?query=revenue"),
        Address("/document/{document_id}", f"/document/{document}?query=risk"),
        Address("/document/{document_id}/as-filed", f"/document/{document}/as-filed?query=risk"),
        # The first part of the document, which has links to its tables.
        Address("/document/{document_id}/table", f"/document/{document}"),
        Address("/compare", f"/compare?to={document}&section={_SECTION}"),
        Address("/cite", f"/cite?citation={quote(_CITED)}+{document}"),
        Address("/filing/{accession_number}", f"/filing/{filing}"),
        *(
            [Address("/filing/{accession_number}", f"/filing/{statements.accession_number}")]
            if statements
            else []
        ),
        *(Address("/company/{cik}", f"/company/{cik}") for cik in ciks if cik),
        *(
            [Address("/company/{cik}/{part}", f"/company/{trade.issuer_cik}/insiders")]
            if trade
            else []
        ),
        Address("/companies", "/companies?name=a"),
        Address("/found", "/found?query=8-K+5.02"),
        Address("/coverage", "/coverage"),
        Address("/drafts", "/drafts"),
        Address("/similar", "/similar"),
        Address("/docs", "/docs"),
        Address("/docs/{operation}", "/docs/get_v1_search"),
        Address("/status", "/status"),
        Address("/sign-in", "/sign-in"),
        Address("/mail/unsubscribe", "/mail/unsubscribe"),
        *(Address(path, path, own=True) for path in OWN),
    ]
    compared = f"/compare?to={pair[0]}&from={pair[1]}&section={_SECTION}" if pair else None
    return Found(pages, compared, [each for each, _ in long])


async def _documents(
    engine: Engine, query: dict[str, Any], sort: Sequence[dict[str, str]], size: int
) -> list[tuple[str, str]]:
    """Return documents with the first of their companies."""
    body = {
        "query": query,
        "sort": list(sort),
        "size": size,
        "track_total_hits": False,
        "stored_fields": "_none_",
        "docvalue_fields": ["document_id", "ciks"],
    }
    reply = await engine.search("documents", body, _DocumentHit)
    return [(hit.fields.document_id[0], hit.fields.ciks[0]) for hit in reply.hits.hits]


async def _risk_factors(engine: Engine) -> tuple[str, str] | None:
    """Annual reports of one company with the longest risk factors of which there are two."""
    wanted = [{"term": {"item": _SECTION}}, {"term": {"form_type": "10-K"}}]
    body = {
        "query": {"bool": {"filter": wanted}},
        "size": _MOST_SECTIONS,
        "track_total_hits": False,
        "_source": list(_Section.__struct_fields__),
    }
    sections = [
        hit.source for hit in (await engine.search("sections", body, _SectionHit)).hits.hits
    ]
    lengths = {
        section.document_id: section.text_end - section.text_start
        for section in sections
        if section.text_start is not None and section.text_end is not None
    }
    asked = {"terms": {"document_id": list(lengths)}}
    of_company: dict[str, list[str]] = {}
    for document_id, cik in await _documents(engine, asked, [], len(lengths)) if lengths else []:
        of_company.setdefault(cik, []).append(document_id)
    pairs = [
        sorted(each, key=lengths.__getitem__)[-2:] for each in of_company.values() if len(each) > 1
    ]
    if not pairs:
        return None
    first, second = max(pairs, key=lambda pair: lengths[pair[0]])
    return second, first


async def _newest(engine: Engine, kind: Kind) -> _Row | None:
    """Return the newest row of a kind."""
    body = {"size": 1, "sort": [{"filing_date": "desc"}], "_source": list(_Row.__struct_fields__)}
    hits = (await engine.search(kind, body, _RowHit)).hits.hits
    return hits[0].source if hits else None
