"""Entities of the real corpus: found by number, name, ticker and former name."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from tests.acceptance.conftest import TICKERS
from tests.acceptance.service import Service
from tests.acceptance.submissions import File

# Two requests for each of them take half a minute, and hundreds of companies are alike.
EACH = pytest.mark.parametrize("every", [20, pytest.param(1, marks=pytest.mark.long)])


@pytest.fixture(scope="module")
def ciks(files: list[File]) -> list[str]:
    """Every CIK that a header names."""
    return sorted({cik for file in files for cik in file.ciks()})


def look_up(service: Service, **fields: Any) -> dict[str, Any]:
    response = service.http.post("/v2/entity_lookup", json=fields)
    assert response.status_code == 200, response.text
    reply: dict[str, Any] = response.json()
    return reply


def found(service: Service, **fields: Any) -> list[str]:
    reply = look_up(service, to=10_000, **fields)
    assert (reply["count"], reply["truncated"]) == (len(reply["entities"]), False)
    return [entity["cik"] for entity in reply["entities"]]


@EACH
def test_every_cik_is_found_by_its_number(service: Service, ciks: list[str], every: int) -> None:
    assert len(ciks) > 600
    assert found(service, ciks=ciks) == ciks
    assert found(service, ciks=[cik.lstrip("0") for cik in ciks]) == ciks
    for cik in ciks[::every]:
        assert found(service, ciks=[cik.lstrip("0")]) == [cik]


@EACH
def test_every_entity_is_found_by_its_current_name(
    service: Service, ciks: list[str], every: int
) -> None:
    for entity in look_up(service, ciks=ciks, to=10_000)["entities"][::every]:
        for name in (entity["name"], entity["name"].lower()):
            assert entity["cik"] in found(service, name_includes=[name])


@EACH
def test_every_entity_is_found_by_each_of_its_tickers(
    service: Service, corpus: Path, ciks: list[str], every: int
) -> None:
    rows = json.loads(gzip.decompress((corpus / TICKERS).read_bytes())).values()
    pairs = [(r["ticker"], f"{r['cik_str']:010d}") for r in rows]
    listed = [(ticker, cik) for ticker, cik in pairs if cik in ciks]
    assert len(listed) > 50
    for ticker, cik in listed[::every]:
        for spelling in (ticker.lower(), ticker.replace("-", "."), ticker.replace("-", "")):
            assert cik in found(service, tickers=[spelling])


@EACH
def test_former_names_lead_to_their_company(
    service: Service, files: list[File], every: int
) -> None:
    names = sorted({pair for file in files for pair in file.former_names()})
    # Of a company that changed its headers' list since, the latest filing's list stands.
    entities = look_up(service, ciks=sorted({cik for cik, _ in names}), to=10_000)["entities"]
    current = {e["cik"]: {former["name"] for former in e["formerNames"]} for e in entities}
    kept = [(cik, name) for cik, name in names if name in current[cik]]
    assert len(kept) >= 50
    for cik, name in kept[::every]:
        assert cik in found(service, name_includes=[name])


def test_filters_agree_with_what_the_entities_say(service: Service, ciks: list[str]) -> None:
    every = look_up(service, ciks=ciks, to=10_000)["entities"]
    for parameter, field, value in (
        ("sics", "sic", "6022"),
        ("states", "stateOfIncorporation", "DE"),
        ("eins", "ein", "942404110"),
        ("exchanges", "exchanges", "NYSE"),
    ):
        given = value.lower() if parameter in ("states", "exchanges") else value
        expected = [e["cik"] for e in every if value in (e[field] or [])]
        assert expected
        assert found(service, ciks=ciks, **{parameter: [given]}) == expected


def test_parts_of_names(service: Service, ciks: list[str]) -> None:
    every = look_up(service, ciks=ciks, to=10_000)["entities"]
    names = {e["cik"]: [e["name"], *(f["name"] for f in e["formerNames"])] for e in every}

    def having(cik: str, part: str) -> bool:
        return any(part in name.lower() for name in names[cik])

    both = found(service, ciks=ciks, name_includes=["bank", "CORP"])
    assert both == [cik for cik in names if having(cik, "bank") and having(cik, "corp")] != []
    without = found(service, ciks=ciks, name_includes=["bank"], name_excludes=["corp", "inc"])
    assert without == [
        e["cik"]
        for e in every
        if having(e["cik"], "bank") and not any(p in e["name"].lower() for p in ("corp", "inc"))
    ]
    assert found(service, name_includes=["*"]) == [
        e["cik"] for e in every if any("*" in name for name in names[e["cik"]])
    ]


def test_windows_join_to_the_whole(service: Service, ciks: list[str]) -> None:
    total = look_up(service, to=0)["count"]
    whole: list[str] = []
    for start in range(0, total, 300):
        window = {"from": start, "to": start + 300}
        reply = look_up(service, **window)
        assert (reply["count"], reply["truncated"]) == (total, start + 300 < total)
        whole += [entity["cik"] for entity in reply["entities"]]
    assert whole == sorted(set(whole)) and len(whole) == total and set(ciks) <= set(whole)


def test_index_tickers_need_a_file(service: Service) -> None:
    response = service.http.get("/v2/entity_lookup", params={"index_tickers": "GSPC"})
    assert (response.status_code, response.json()) == (
        400,
        {"error": "index_tickers: this service has no list of index members"},
    )
