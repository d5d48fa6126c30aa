"""Each index template and its Struct name the same fields."""

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec import Struct

from edgar_search.engine.index_names import KINDS, Kind
from edgar_search.settings import Settings
from edgar_search.stored.accounts import (
    StoredAccount,
    StoredApiKey,
    StoredCall,
    StoredSession,
    StoredUsage,
)
from edgar_search.stored.entities import StoredEntity, StoredTickers
from edgar_search.stored.events import StoredEvent
from edgar_search.stored.filings import StoredDocument, StoredFiling, StoredPassage, StoredSection
from edgar_search.stored.financials import StoredFact, StoredFinancials
from edgar_search.stored.installation import (
    LedgerEntry,
    MissingDay,
    StoredLease,
    StoredRebuild,
    StoredSecret,
    StoredSnapshot,
)
from edgar_search.stored.ownership import (
    StoredHolding,
    StoredInsiderTrade,
    StoredManagerReport,
    StoredPlannedSale,
    StoredStake,
)
from edgar_search.stored.user_items import StoredArrival, StoredDelivery, StoredUserItem

TEMPLATES = Path(__file__).parents[3] / "index_templates"
STORED: dict[Kind, type[Struct]] = {
    "filings": StoredFiling,
    "documents": StoredDocument,
    "passages": StoredPassage,
    "sections": StoredSection,
    "financials": StoredFinancials,
    "facts": StoredFact,
    "insider_trades": StoredInsiderTrade,
    "stakes": StoredStake,
    "planned_sales": StoredPlannedSale,
    "manager_reports": StoredManagerReport,
    "holdings": StoredHolding,
    "entities": StoredEntity,
    "ledger": LedgerEntry,
    "tickers": StoredTickers,
    "accounts": StoredAccount,
    "api_keys": StoredApiKey,
    "user_items": StoredUserItem,
    "deliveries": StoredDelivery,
    "sessions": StoredSession,
    "usage": StoredUsage,
    "history": StoredCall,
    "arrivals": StoredArrival,
    "events": StoredEvent,
    "leases": StoredLease,
    "secrets": StoredSecret,
    "snapshots": StoredSnapshot,
    "rebuilds": StoredRebuild,
    "missing_days": MissingDay,
}


def template(name: str) -> dict[str, Any]:
    content: dict[str, Any] = json.loads((TEMPLATES / f"{name}.json").read_text())
    return content


def test_there_is_a_template_for_each_kind_and_for_what_they_share() -> None:
    assert {path.stem for path in TEMPLATES.iterdir()} == {*KINDS, "shared"}


@pytest.mark.parametrize("kind", KINDS)
def test_template_has_the_fields_of_the_struct(kind: Kind) -> None:
    mapped = template(kind)["template"]["mappings"]["properties"]
    assert sorted(mapped) == sorted(
        field.encode_name for field in msgspec.structs.fields(STORED[kind])
    )


@pytest.mark.parametrize("kind", KINDS)
def test_template_refuses_other_fields(kind: Kind) -> None:
    assert template(kind)["template"]["mappings"]["dynamic"] == "strict"


@pytest.mark.parametrize("kind", KINDS)
def test_template_is_for_its_kind_and_shares_what_all_share(kind: Kind) -> None:
    content = template(kind)
    assert (content["index_patterns"], content["composed_of"]) == ([f"{kind}.*"], ["shared"])


def test_text_of_a_document_is_indexed_and_not_kept() -> None:
    mappings = template("documents")["template"]["mappings"]
    assert mappings["_source"] == {"excludes": ["text", "quotients"]}
    assert mappings["properties"]["text"] == {"type": "text", "analyzer": "filing_text"}


def test_documents_and_passages_are_analysed_alike() -> None:
    fields = [template(kind)["template"]["mappings"]["properties"] for kind in STORED]
    texts = [field["text"] for field in fields if "text" in field]
    assert texts == [{"type": "text", "analyzer": "filing_text"}] * 2


def test_index_lets_pages_go_as_far_as_the_service_does() -> None:
    settings = template("documents")["template"]["settings"]["index"]
    assert settings["max_result_window"] == Settings().max_window
