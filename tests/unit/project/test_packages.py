"""Every API version has its import contracts, every package its line in docs/architecture.md."""

import re
import tomllib
from pathlib import Path

import pytest

from tests.support.engines import CHECKOUT

SIDES = {"edgar_search": CHECKOUT / "src" / "edgar_search", "ingest": CHECKOUT / "ingest"}
CONTRACTS = tomllib.loads((CHECKOUT / "pyproject.toml").read_text())["tool"]["importlinter"][
    "contracts"
]


def packages(folder: Path) -> set[str]:
    return {path.parent.name for path in folder.glob("*/__init__.py")}


def api_versions() -> set[str]:
    web = SIDES["edgar_search"] / "web"
    return {f"edgar_search.web.{path.parent.name}" for path in web.glob("*/__init__.py")}


def test_every_api_version_is_kept_from_the_engine() -> None:
    (contract,) = [
        each for each in CONTRACTS if each.get("forbidden_modules") == ["edgar_search.engine"]
    ]
    assert set(contract["source_modules"]) == api_versions()


def test_every_api_version_is_kept_from_the_others() -> None:
    (contract,) = [
        each for each in CONTRACTS if "edgar_search.web.v1" in each.get("protected_modules", [])
    ]
    assert set(contract["protected_modules"]) == api_versions()
    importers = ["app", "commands.mcp", "web.endpoints"]
    assert contract["allowed_importers"] == [f"edgar_search.{importer}" for importer in importers]


def test_operations_and_readers_of_parameters_are_kept_from_http() -> None:
    (contract,) = [
        each for each in CONTRACTS if "edgar_search.api" in each.get("source_modules", [])
    ]
    web = SIDES["edgar_search"] / "web"
    found = {path.parent.name for path in web.glob("*/finding.py")}
    sources = ["api", *(f"web.{dialect}.finding" for dialect in sorted(found))]
    assert contract["forbidden_modules"] == ["starlette"]
    assert contract["source_modules"] == [f"edgar_search.{source}" for source in sources]


# Modules of subjects that pages import, where no operation has the fact. The number may only fall:
# a page that needs one more needs a field of an answer.
SUBJECTS_OF_PAGES = 55


def test_pages_render_operations() -> None:
    pages = SIDES["edgar_search"] / "web" / "pages"
    subject = re.compile(
        r"^from edgar_search\.((?:document|financials|ownership|search|stored)\.\S+)", re.M
    )
    imported = {name for path in pages.glob("*.py") for name in subject.findall(path.read_text())}
    assert len(imported) == SUBJECTS_OF_PAGES, sorted(imported)


@pytest.mark.parametrize(
    ("side", "package"),
    [(side, package) for side in SIDES for package in sorted(packages(SIDES[side]))],
)
def test_package_has_its_line_in_the_documentation(side: str, package: str) -> None:
    text = (CHECKOUT / "docs" / "architecture.md").read_text()
    place = SIDES[side].relative_to(CHECKOUT)
    assert f"\n| `{place}/{package}/` |" in text
