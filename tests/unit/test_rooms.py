"""Every room has its place in an import contract and its line in docs/architecture.md."""

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from tests.support.engines import CHECKOUT

SIDES = {"edgar_search": CHECKOUT / "src" / "edgar_search", "ingest": CHECKOUT / "ingest"}
# Modules that are no room: where a side begins, and what all of its rooms use.
LOOSE = {
    "edgar_search": {"app", "cli", "errors", "extras", "http_client"},
    "ingest": {"cli"},
}
# What the write side may import of the service.
SHARED = {
    "archive",
    "edgar",
    "engine",
    "errors",
    "extras",
    "http_client",
    "metrics",
    "settings",
    "stored",
    "text",
}
CONTRACTS = tomllib.loads((CHECKOUT / "pyproject.toml").read_text())["tool"]["importlinter"][
    "contracts"
]


def packages(folder: Path) -> set[str]:
    return {path.parent.name for path in folder.glob("*/__init__.py")}


def modules(folder: Path) -> set[str]:
    return {path.stem for path in folder.glob("*.py")} - {"__init__"}


def layers_of(side: str) -> dict[str, Any]:
    """The one contract that orders the rooms of a side."""
    (found,) = [each for each in CONTRACTS if each.get("containers") == [side]]
    return dict(found)


def named(side: str) -> set[str]:
    """The rooms of that contract; those in parentheses need not be there."""
    return set(re.findall(r"\w+", " ".join(layers_of(side)["layers"])))


@pytest.mark.parametrize("side", SIDES)
def test_no_file_lies_outside_of_the_rooms(side: str) -> None:
    assert modules(SIDES[side]) - LOOSE[side] == set()


@pytest.mark.parametrize("side", SIDES)
def test_every_room_has_its_place_in_the_order_of_imports(side: str) -> None:
    rooms = packages(SIDES[side]) | modules(SIDES[side])
    to_come = {name for name in named(side) if f"({name})" in layers_of(side)["layers"]}
    assert rooms | to_come == named(side)


@pytest.mark.parametrize("side", SIDES)
def test_a_room_that_the_order_does_not_name_breaks_it(side: str) -> None:
    assert layers_of(side)["type"] == "layers"
    assert layers_of(side)["exhaustive"] is True


def test_write_side_imports_nothing_of_the_service_but_what_is_shared() -> None:
    (contract,) = [
        each for each in CONTRACTS if "edgar_search.*" in each.get("protected_modules", [])
    ]
    opened = [
        re.match(r"ingest\.\*\* -> edgar_search\.(\w+)", line)
        for line in contract["ignore_imports"]
    ]
    assert contract["allowed_importers"] == ["edgar_search"]
    assert {found and found[1] for found in opened} == SHARED


def dialects() -> set[str]:
    web = SIDES["edgar_search"] / "web"
    return {f"edgar_search.web.{path.parent.name}" for path in web.glob("*/routes.py")}


def test_every_dialect_is_kept_from_the_engine() -> None:
    (contract,) = [
        each for each in CONTRACTS if each.get("forbidden_modules") == ["edgar_search.engine"]
    ]
    assert set(contract["source_modules"]) == dialects()


def test_every_dialect_is_kept_from_the_others() -> None:
    (contract,) = [
        each for each in CONTRACTS if "edgar_search.web.v1" in each.get("protected_modules", [])
    ]
    assert set(contract["protected_modules"]) == dialects()
    importers = ["app", "commands.search", "web.endpoints"]
    assert contract["allowed_importers"] == [f"edgar_search.{each}" for each in importers]


def test_modules_of_parameters_and_answers_are_kept_from_http() -> None:
    (contract,) = [
        each
        for each in CONTRACTS
        if "edgar_search.web.parameters" in each.get("source_modules", [])
    ]
    web = SIDES["edgar_search"] / "web"
    found = {path.relative_to(web).with_suffix("") for path in web.rglob("*parameters.py")}
    found |= {path.relative_to(web).with_suffix("") for path in web.rglob("*answers.py")}
    found |= {path.relative_to(web) for path in web.glob("*/answers/")}
    sources = [Path(*name.split(".")[2:]) for name in contract["source_modules"]]
    assert contract["forbidden_modules"] == ["starlette"]
    assert [path for path in found if not any(path.match(str(each)) for each in sources)] == []


@pytest.mark.parametrize(
    ("side", "room"), [(side, room) for side in SIDES for room in sorted(packages(SIDES[side]))]
)
def test_room_has_its_line_in_the_documentation(side: str, room: str) -> None:
    text = (CHECKOUT / "docs" / "architecture.md").read_text()
    place = SIDES[side].relative_to(CHECKOUT)
    assert f"\n| `{place}/{room}/` |" in text
