"""Replies of the v1 endpoints, whole."""

from collections.abc import Sequence
from datetime import UTC, date, datetime
from typing import Any

import msgspec

from edgar_search.api.lookup import lookup_reply
from edgar_search.api.search import search_reply
from edgar_search.search.filings import FilingPage, ListedEntity, ListedFiling
from edgar_search.search.results import (
    DetailedHit,
    DocumentFields,
    DocumentHit,
    DocumentPage,
    FoundDocument,
)
from edgar_search.search.snippets.marks import Span
from edgar_search.search.snippets.snippet import LocatedSnippet
from edgar_search.search.tickers import TickerTable
from edgar_search.search.warnings.nearest import SearchWarning
from edgar_search.stored.entities import StoredTickers, TickerRow
from edgar_search.stored.filings import FilingDocument

NOW = datetime(2024, 2, 1, tzinfo=UTC)
KEY = "sk_live_0123456789ABCDEFGHIJKLMG92o0"
TABLE = TickerTable(
    [
        StoredTickers(
            "made up",
            NOW,
            [
                TickerRow("SUBJ", "0000000001"),
                TickerRow("FILR", "0000000002"),
                TickerRow("FILR-A", "0000000002"),
            ],
        )
    ]
)
FILING = ListedFiling(
    accession_number="0000000002-24-000001",
    form_type="SC 13D",
    filing_date=date(2024, 1, 31),
    ciks=["0000000001", "0000000002"],
    entities=[
        ListedEntity("0000000001", "Subject <Inc>"),
        ListedEntity("0000000002", "Filer Ltd"),
    ],
    documents=[
        FilingDocument("0000000002-24-000001-1", "SC 13D", "", 1234, "d.htm"),
        FilingDocument("0000000002-24-000001-2", "EX-99", "LETTER", 0, ""),
    ],
    loaded_at=NOW,
    primary=1,
    period=date(2023, 12, 31),
)


def hit(**changes: object) -> DocumentHit:
    fields = DocumentFields(
        document_id=["0000000002-24-000001-1"],
        accession_number=["0000000002-24-000001"],
        form_type=["SC 13D"],
        filing_date=["2024-01-31"],
        passages=[3],
        entities=["0000 0000000002 Filer Ltd", "0001 0000000001 Subject Inc"],
        file_name=["d.htm"],
    )
    return DocumentHit(msgspec.structs.replace(fields, **changes), 10.0)


def test_lookup_reply() -> None:
    assert msgspec.to_builtins(
        lookup_reply(FilingPage(2000, [FILING]), TABLE, ["unknown ticker: NOPE"])
    ) == {
        "response_details": {"filings_found": 2000, "errors": ["unknown ticker: NOPE"]},
        "filings": [
            {
                "accnum": "0000000002-24-000001",
                "form_type": "SC 13D",
                "filing_date": "2024-01-31",
                "period": "2023-12-31",
                "tickers": ["SUBJ", "FILR", "FILR-A"],
                "filer_details": {
                    "cik": "0000000002",
                    "name": "Filer Ltd",
                    "tickers": ["FILR", "FILR-A"],
                },
                "documents": [
                    {
                        "document_id": "0000000002-24-000001-1",
                        "form_type": "SC 13D",
                        "description": "",
                        "size": 1234,
                        "file_name": "d.htm",
                    },
                    {
                        "document_id": "0000000002-24-000001-2",
                        "form_type": "EX-99",
                        "description": "LETTER",
                        "size": 0,
                        "file_name": "",
                    },
                ],
            }
        ],
    }


def test_lookup_reply_without_filings() -> None:
    assert msgspec.to_builtins(lookup_reply(FilingPage(0, []), TABLE, [])) == {
        "response_details": {"filings_found": 0, "errors": []},
        "filings": [],
    }


def test_period_that_edgar_has_not_is_null() -> None:
    filing = msgspec.structs.replace(FILING, period=None)
    assert (
        msgspec.to_builtins(lookup_reply(FilingPage(1, [filing]), TABLE, []))["filings"][0][
            "period"
        ]
        is None
    )


def test_ticker_of_two_entities_is_there_once() -> None:
    filing = msgspec.structs.replace(FILING, ciks=["0000000001", "0000000001"])
    assert lookup_reply(FilingPage(1, [filing]), TABLE, []).filings[0].tickers == ["SUBJ"]


def test_search_reply() -> None:
    assert msgspec.to_builtins(
        search_reply(DocumentPage(7, [FoundDocument(hit(), "a <mark>b</mark>")]))
    ) == {
        "total_count": 7,
        "items": [
            {
                "related_company_names": ["Filer Ltd", "Subject Inc"],
                "ciks": ["0000000002", "0000000001"],
                "accnum": "0000000002-24-000001",
                "filename": "d.htm",
                "filing_date": "2024-01-31",
                "form_type": "SC 13D",
                "snippet": "a <mark>b</mark>",
                "score": 0.4,
                "document_id": "0000000002-24-000001-1",
            }
        ],
    }


def test_document_without_entities_has_empty_lists() -> None:
    item = search_reply(DocumentPage(1, [FoundDocument(hit(entities=[]))])).items[0]
    assert (item.ciks, item.related_company_names) == ([], [])


def test_hit_without_a_file_name_has_an_empty_one() -> None:
    fields = msgspec.to_builtins(hit().fields)
    del fields["file_name"]
    found = msgspec.convert({"fields": fields, "_score": 1.0}, DocumentHit)
    assert search_reply(DocumentPage(1, [FoundDocument(found)])).items[0].filename == ""


def detailed() -> DetailedHit:
    fields = {**msgspec.to_builtins(hit().fields), "text_sha256": ["ab"], "_version": [7]}
    return msgspec.convert({"fields": fields, "_score": 1.0}, DetailedHit)


PLACED = LocatedSnippet("a <mark>b</mark>", Span(10, 13), [Span(12, 13)])


def places_of(included: Sequence[str], snippets: int, placed: Sequence[LocatedSnippet]) -> Any:
    page = DocumentPage(1, [FoundDocument(detailed(), "a <mark>b</mark>", placed)])
    (item,) = msgspec.to_builtins(search_reply(page, included, snippets))["items"]
    return {name: item[name] for name in ("offsets", "snippets", "text_sha256") if name in item}


def test_places_of_snippets_are_there_where_they_are_asked_for() -> None:
    place = {"start": 10, "end": 13, "marks": [(12, 13)]}
    snippet = {**place, "snippet": "a <mark>b</mark>"}
    assert places_of((), 0, [PLACED]) == {}
    assert places_of(["offsets"], 0, [PLACED]) == {"offsets": place, "text_sha256": "ab"}
    assert places_of((), 2, [PLACED]) == {"snippets": [snippet], "text_sha256": "ab"}
    # Of a document that is being loaded again.
    assert places_of(["offsets"], 2, []) == {"offsets": None, "snippets": [], "text_sha256": "ab"}


def test_warnings_stand_beside_the_items_where_there_are_any() -> None:
    page = DocumentPage(0, [], (SearchWarning("query", "first"), SearchWarning("cik", "second")))
    assert msgspec.json.encode(search_reply(page)) == (
        b'{"total_count":0,"items":[],"warnings":["query: first","cik: second"]}'
    )


def test_answer_without_warnings_has_no_field_for_them() -> None:
    assert msgspec.json.encode(search_reply(DocumentPage(0, []))) == (
        b'{"total_count":0,"items":[]}'
    )


def test_key_that_a_warning_quotes_is_hidden() -> None:
    page = DocumentPage(0, [], (SearchWarning("query", f"no document has `{KEY}`"),))
    assert search_reply(page).warnings == ["query: no document has `sk_live_...`"]
