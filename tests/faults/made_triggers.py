"""Alert triggers made from the words of real filings, and what searches find for them."""

from collections import Counter
from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, Phase, given, seed, settings
from msgspec import Struct, field

from bench.corpus import extract_from
from edgar_search.alerts.triggers import AlertTrigger, AlertTriggers, document_criteria
from edgar_search.engine.engine import Engine
from edgar_search.ownership.row_filters import ROWS, row_clauses
from edgar_search.search.context import SearchContext
from edgar_search.search.criteria import DocumentSearch, Window
from edgar_search.search.language import parse
from edgar_search.search.language.tree import QueryError
from edgar_search.search.query.body import document_query, ticker_lists
from edgar_search.search.search import search_documents
from edgar_search.search.tickers import Tickers, TickerTable
from edgar_search.settings import Settings
from edgar_search.stored.filters import DocumentFilters
from edgar_search.stored.ownership import RowFilters, RowsName
from edgar_search.stored.user_items import StoredUserItem
from tests.oracle.queries import trees
from tests.oracle.texts import Texts
from tests.oracle.tree import Tree, query_text

# Queries that match more of the documents than this say little about what is lost.
COMMON = 0.2
ACCOUNTS = 10
FORMS = ("8-K", "10-K", "10-Q", "4", "D", "13F-HR", "SC 13G", "424B5", "S-1", "6-K")
ROW_TRIGGERS: tuple[tuple[RowsName, RowFilters], ...] = (
    ("insider_trades", RowFilters(code=("S", "F"))),
    ("holdings", RowFilters(min_value=Decimal(5_000_000))),
    ("insider_holdings", RowFilters(role=("officer", "director"))),
    ("insider_trades", RowFilters(role=("director",), min_value=Decimal(10_000))),
)
_PAGE = 1_000

Told = tuple[str, str]


class _DocumentId(Struct):
    document_id: list[str]


class _Found(Struct):
    fields: _DocumentId
    sort: list[Any]


class _Item(Struct):
    source: StoredUserItem[Any] = field(name="_source")
    sort: list[Any]


def queries(files: Sequence[Path], count: int, seed_number: int) -> list[str]:
    """Return this many queries from the words of these filings."""
    texts = Texts({each.document_id: each.text for each in extract_from(files)})
    made: list[str] = []

    @seed(seed_number)
    @settings(
        max_examples=count * 4,
        deadline=None,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(trees(texts))
    def make(tree: Tree) -> None:
        query = query_text(tree, False)
        try:
            parse(query)
        except QueryError:
            return
        if len(made) < count and len(texts.matching(tree)) <= COMMON * len(texts.texts):
            made.append(query)

    make()
    assert len(made) == count
    return made


async def add_triggers(engine: Engine, made: Sequence[str]) -> list[AlertTrigger]:
    """Return a trigger of each query; some with a form, some of a form alone."""
    triggers = AlertTriggers(engine)
    added = []
    for number, query in enumerate(made):
        form = DocumentFilters(form_type=(FORMS[number % len(FORMS)],))
        fields: dict[str, Any] = {"name": query[:50], "query": query}
        if number % 5 == 1:
            fields["filters"] = form
        if number % 20 == 2:
            fields |= {"filters": form, "query": None}
        if number % 10 == 7:
            rows, filters = ROW_TRIGGERS[number // 10 % len(ROW_TRIGGERS)]
            fields = {"name": rows, "rows": rows, "row_filters": filters}
        added.append(await triggers.add(f"account-{number % ACCOUNTS}", fields))
    return added


async def told(engine: Engine) -> Counter[Told]:
    """Trigger and document of every notification that there is."""
    await engine.refresh("user_items")
    body: dict[str, Any] = {
        "query": {"term": {"area": "notifications"}},
        "size": _PAGE,
        "sort": [{"id": "asc"}, {"account": "asc"}],
    }
    found: Counter[Told] = Counter()
    while hits := (await engine.search("user_items", body, _Item)).hits.hits:
        for content in (hit.source.content for hit in hits):
            found[content["alert_trigger_id"], content["document"]["document_id"]] += 1
        body["search_after"] = hits[-1].sort
    return found


async def searched(engine: Engine, triggers: Sequence[AlertTrigger]) -> set[Told]:
    """Return the documents that searches find for these triggers now."""
    table = await Tickers(engine).table()
    wanted: set[Told] = set()
    for trigger in triggers:
        if trigger.content.rows is not None:
            wanted |= await _filings_with_rows(engine, trigger, table)
            continue
        criteria = document_criteria(trigger.content)
        if criteria.query is not None:
            # That the clause is a search's own.
            page = DocumentSearch(criteria, Window(0, 0))
            context = SearchContext.from_settings(engine, Settings())
            total = (await search_documents(context, page)).total
        clause = document_query(criteria, ticker_lists(criteria.filings, table))
        body: dict[str, Any] = {
            "query": clause,
            "size": _PAGE,
            "sort": ["document_id"],
            "stored_fields": "_none_",
            "docvalue_fields": ["document_id"],
        }
        ids: list[str] = []
        while hits := (await engine.search("documents", body, _Found)).hits.hits:
            ids += [hit.fields.document_id[0] for hit in hits]
            body["search_after"] = hits[-1].sort
        assert criteria.query is None or total == len(ids)
        wanted |= {(trigger.id, document_id) for document_id in ids}
    return wanted


async def _filings_with_rows(
    engine: Engine, trigger: AlertTrigger, table: TickerTable
) -> set[Told]:
    """Return the first document with matching rows of each filing, by a search for the rows."""
    rows = trigger.content.rows
    assert rows is not None
    kind = ROWS[rows].kind
    await engine.refresh(kind)
    body: dict[str, Any] = {
        "query": {"bool": {"filter": list(row_clauses(rows, trigger.content.row_filters, table))}},
        "size": _PAGE,
        "sort": ["document_id", "number"],
        "stored_fields": "_none_",
        "docvalue_fields": ["document_id"],
    }
    documents: set[str] = set()
    while hits := (await engine.search(kind, body, _Found)).hits.hits:
        documents |= {hit.fields.document_id[0] for hit in hits}
        body["search_after"] = hits[-1].sort
    filings: dict[str, str] = {}
    for document_id in sorted(documents):
        filings.setdefault(document_id.rpartition("-")[0], document_id)
    return {(trigger.id, document_id) for document_id in filings.values()}
