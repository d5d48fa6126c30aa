"""Triggers for rows: documents whose rows match, with a summary of these rows."""

import html
from collections.abc import Sequence
from typing import NamedTuple

from edgar_search.alerts.triggers import TriggerEntry
from edgar_search.engine.engine import Engine
from edgar_search.ownership.row_filters import ROWS, row_clauses
from edgar_search.ownership.row_matching import MatchingRows, match_rows, standing_documents
from edgar_search.ownership.summaries import row_summary
from edgar_search.search.results import DocumentHit
from edgar_search.search.reverse_search import TriggerMatch
from edgar_search.search.tickers import TickerTable
from edgar_search.stored.user_items import StoredAlertTrigger
from edgar_search.user_data.items import source


class RowTriggerMatches(NamedTuple):
    """Pairs of triggers and documents with matching rows, each with a snippet.

    Also the documents that were present throughout, with their rows, and the indices of triggers
    whose filters Elasticsearch refuses.
    """

    pairs: list[TriggerMatch]
    snippets: dict[tuple[int, str], str]
    present: frozenset[str]
    refused: list[int]


async def match_row_triggers(
    engine: Engine,
    table: TickerTable,
    triggers: Sequence[TriggerEntry],
    document_ids: Sequence[str],
    most: int,
) -> RowTriggerMatches:
    """Match the rows of these documents against these triggers, `most` triggers in a request."""
    if not triggers:
        return RowTriggerMatches([], {}, frozenset(document_ids), [])
    before = await standing_documents(engine, document_ids)
    matches: list[MatchingRows] = []
    refused: list[int] = []
    contents: list[StoredAlertTrigger] = [source(trigger).content for trigger in triggers]
    for name, rows in ROWS.items():
        indices = [place for place, each in enumerate(contents) if each.rows == name]
        clauses = [row_clauses(name, contents[place].row_filters, table) for place in indices]
        matched = await match_rows(engine, rows, clauses, document_ids, most)
        matches += (each._replace(place=indices[each.place]) for each in matched.found)
        refused += (indices[each] for each in matched.refused)
    after = await standing_documents(engine, document_ids)
    # A document rewritten meanwhile may have lacked its rows for a moment.
    present = frozenset(
        each for each, written in before.items() if each in after and after[each] == written
    )
    matches = sorted((each for each in matches if each.document_id in present), key=_place)
    return RowTriggerMatches(
        [
            TriggerMatch(each.place, DocumentHit(after[each.document_id].fields, 1.0))
            for each in matches
        ],
        {(each.place, each.document_id): row_snippet(each) for each in matches},
        present,
        sorted(refused),
    )


def _place(each: MatchingRows) -> tuple[int, str]:
    return each.place, each.document_id


def row_snippet(matched: MatchingRows) -> str:
    """Return the first matching row as a line of HTML, with how many more there are."""
    others = matched.rows - 1
    more = f"; and {others:,} more row{'s' if others > 1 else ''}" if others else ""
    return html.escape(row_summary(matched.row), quote=False) + more
