"""The findings if Elasticsearch refuses single privileges."""

from collections.abc import Callable
from typing import Any, cast

import pytest

from edgar_search.doctor.rights import WRITTEN, look_at_loading_rights, look_at_rights
from edgar_search.engine.engine import Engine
from edgar_search.engine.index_names import KINDS
from edgar_search.engine.replies import BulkItem
from edgar_search.engine.requests import missing_index_error
from edgar_search.errors import EngineRefuses
from edgar_search.settings.values import ROW_KINDS

pytestmark = pytest.mark.anyio
PREFIX = "edgar-"
REFUSED = "the search engine refuses the service's credentials"


class Refusing:
    """An engine that refuses what begins so; of each kind it has one index."""

    def __init__(self, *refused: str) -> None:
        self._refused = refused

    def _may(self, what: str) -> None:
        if what.startswith(self._refused):
            raise EngineRefuses(REFUSED)

    async def ping(self) -> None:
        self._may("read")

    async def mapping_version(self, kind: str) -> int:
        self._may("metadata")
        return 1

    async def refresh(self, kind: str) -> None:
        self._may("refresh")

    async def log_end(self, kind: str) -> None:
        self._may("stats")

    async def create_index(self, name: str, body: dict[str, Any]) -> None:
        self._may(f"create {name}")

    async def administer(self, method: str, path: str, body: Any = None) -> Any:
        if method == "GET":
            partition = "2026-01" if "history" in path else "all"
            return {f"{path.split('*')[0].strip('/')}{partition}.v1": {}}
        self._may(f"{method} {path}")
        if method == "DELETE" and not path.startswith("/_"):
            raise missing_index_error()
        return None

    async def bulk_items(self, body: bytes) -> list[BulkItem]:
        alias = body.split(b'"_index":"')[1].partition(b'"')[0].decode()
        refused = f"write {alias}".startswith(self._refused)
        return [BulkItem("", "", 403 if refused else 404)]


def test_written_kinds_are_those_of_the_documented_role() -> None:
    # The loader writes the others, and the history has rights of its own.
    loaded = {"filings", "documents", "passages", "sections", "entities", "ledger", "tickers"}
    loaded |= {"missing_days", *ROW_KINDS}
    assert {*KINDS} - {*WRITTEN} == loaded | {"history", "rebuilds"}


@pytest.mark.parametrize(
    ("refused", "named"),
    [
        ("read", ["read"]),
        ("metadata", ["view_index_metadata"]),
        ("refresh", ["maintenance"]),
        ("stats", ["monitor"]),
        ("write edgar-sessions", ["write"]),
        ("create edgar-history.2026-01.v1", ["create_index of the history"]),
        ("DELETE /edgar-history", ["manage the history"]),
        ("write edgar-history.2026-01", ["write the history"]),
        ("DELETE /_index_template", ["manage_index_templates"]),
        ("create edgar-documents.all.v1", ["create_index"]),
        ("PUT /edgar-documents.all.v1/_mapping", ["manage"]),
        ("write edgar-ledger", ["load"]),
        ("nothing", []),
    ],
)
async def test_refused_privilege_is_named(refused: str, named: list[str]) -> None:
    engine = cast(Engine, Refusing(refused))
    looks: list[Callable[..., Any]] = [look_at_rights, look_at_loading_rights]
    findings = [each for look in looks for each in await look(engine, PREFIX)]
    assert len({finding.what for finding in findings}) == len(findings) == 12
    wrong = [finding for finding in findings if finding.level != "ok"]
    assert [each.what.removeprefix("right to ") for each in wrong] == named
    assert all("see the roles" in each.remedy for each in wrong)
