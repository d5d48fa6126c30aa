"""The documentation names every setting and route, what is declared of them, and real files."""

import ast
import importlib
import pkgutil
import re
from pathlib import Path

import pytest
from msgspec import structs
from starlette.routing import Route

from edgar_search import web
from edgar_search.api.parameters.declaration import Endpoint
from edgar_search.settings import VARIABLE_PREFIX, Settings
from edgar_search.web.auth.lists import ID, ID_IN_QUERY, PAGE
from edgar_search.web.edgar import routes as edgar
from edgar_search.web.endpoints import ENDPOINTS
from edgar_search.web.pages import routes as pages
from tests.support.engines import CHECKOUT
from tests.support.parameter_tables import PAGES, endpoints_of, renewed

DOCS = CHECKOUT / "docs"
SERVICE = "src/edgar_search"
API_PAGES = [DOCS / "api.md", *sorted((DOCS / "api").glob("*.md"))]
ALL_PAGES = [
    *sorted(DOCS.glob("*.md")),
    *API_PAGES[1:],
    CHECKOUT / "README.md",
    CHECKOUT / "CONTRIBUTING.md",
]
# Where a path of the repository begins.
FOLDERS = "bench|docs|evaluation|index_templates|ingest|samples|src|tests"
VARIABLES = [VARIABLE_PREFIX + name.upper() for name in Settings.__struct_fields__]


def routes() -> list[Route]:
    modules = [
        importlib.import_module(module.name)
        for module in pkgutil.walk_packages(web.__path__, web.__name__ + ".")
    ]
    found = [getattr(module, "routes", []) for module in modules]
    # An API version's package has a module of that name.
    return [route for routes in found if isinstance(routes, list) for route in routes]


# EDGAR's own paths have a page of their own, and each is there once more after a key.
OF_EDGAR = {route.path for route in edgar.routes_of(Settings(mirror="open"))}
PATHS = sorted({route.path for route in routes()} - OF_EDGAR)


@pytest.mark.parametrize("variable", VARIABLES)
def test_setting_has_a_line_in_the_documentation(variable: str) -> None:
    lines = (DOCS / "settings.md").read_text().splitlines()
    assert [line for line in lines if re.search(rf"\b{variable}\b", line)] != []


def test_every_setting_has_somebody_who_changes_it() -> None:
    tables = (DOCS / "settings.md").read_text().partition("## Not settings")[0]
    rows = [line.split(" | ") for line in tables.splitlines() if line.startswith("| `EDGAR_")]
    assert [row for row in rows if len(row) != 4 or not row[3].strip(" |")] == []


def test_every_setting_in_the_documentation_exists() -> None:
    named = re.findall(rf"{VARIABLE_PREFIX}[A-Z_]+", (DOCS / "settings.md").read_text())
    known = {*VARIABLES, *(name for name in named if name.startswith(VARIABLE_PREFIX + "TEST_"))}
    assert set(named) - known == set()


def test_routes_are_found() -> None:
    assert {"/v1/lookup", "/v1/search", "/health/live", "/health/ready"} <= set(PATHS)


@pytest.mark.parametrize("path", [route.path for route in pages.ALL])
def test_page_has_its_line_in_the_documentation(path: str) -> None:
    assert re.search(rf"^\|.*`{re.escape(path)}`.*\|", (DOCS / "pages.md").read_text(), re.M)


@pytest.mark.parametrize("path", PATHS)
def test_route_has_a_mention_in_the_documentation(path: str) -> None:
    text = "".join(page.read_text() for page in API_PAGES)
    assert re.search(rf"{re.escape(path)}(?![\w/-])", text)


@pytest.mark.parametrize("path", sorted(OF_EDGAR))
def test_path_of_edgar_has_a_mention_on_its_page(path: str) -> None:
    own = path.removeprefix("/efts/{key}")
    assert own in OF_EDGAR
    # Up to its first parameter; of the folders of a quarter an example.
    assert own.partition("{")[0] in (DOCS / "clients.md").read_text()


def named_paths(page: Path) -> list[str]:
    """Return the files and folders of this repository that a page names in backticks, in order."""
    pattern = rf"`((?:(?:{FOLDERS})/[\w./-]*)|[\w./-]+\.py)`"
    return re.findall(pattern, page.read_text())


@pytest.mark.parametrize("page", ALL_PAGES, ids=lambda page: page.name)
def test_named_files_exist(page: Path) -> None:
    # Pages that are about the service may name its files without its folder.
    places = (CHECKOUT, CHECKOUT / "src" / "edgar_search")
    named = named_paths(page)
    assert [path for path in named if not any((place / path).exists() for place in places)] == []


def is_defined(name: str, module: Path) -> bool:
    """Return True if a module has a class or function, or a class of it a method."""
    nodes = ast.parse(module.read_text()).body
    for part in name.split("."):
        found = [node for node in nodes if getattr(node, "name", None) == part]
        if not found:
            return False
        nodes = getattr(found[0], "body", [])
    return True


def test_named_functions_of_the_architecture_exist() -> None:
    text = " ".join((DOCS / "architecture.md").read_text().split())
    named = re.findall(r"`([\w.]+)` \(`([\w/]+\.py)`", text)
    folders = {
        path: CHECKOUT / ("" if path.startswith("ingest/") else SERVICE) for _, path in named
    }
    assert named != []
    assert [
        (name, path) for name, path in named if not is_defined(name, folders[path] / path)
    ] == []


@pytest.mark.parametrize("page", ALL_PAGES, ids=lambda page: page.name)
def test_links_to_other_pages_lead_somewhere(page: Path) -> None:
    links = re.findall(r"\]\((?!https?:)([^)#]+)", page.read_text())
    assert [link for link in links if not (page.parent / link).exists()] == []


def test_table_of_what_to_open_has_files_in_every_row() -> None:
    table = (DOCS / "where-to-change.md").read_text()
    rows = [line for line in table.splitlines() if line.startswith("| ")][1:]
    assert rows != []
    assert [row for row in rows if not re.search(r"`[\w./-]+`", row.split("|")[2])] == []


@pytest.mark.parametrize("page", PAGES)
def test_tables_of_parameters_are_those_that_are_declared(page: str) -> None:
    assert renewed(page) == (DOCS / page).read_text(), "`make tables` writes them"


@pytest.mark.parametrize("endpoint", ENDPOINTS, ids=lambda e: f"{e.methods[0]} {e.path}")
def test_every_declared_parameter_is_in_a_table(endpoint: Endpoint) -> None:
    tables = [table for page in PAGES for table in endpoints_of((DOCS / page).read_text())]
    # `update` takes the fields of `add`, and all areas have the same pages and ids.
    area = endpoint.path.rpartition("/")[0] if endpoint.credential == "token" else endpoint.path
    known = {p for table in tables if table.path.startswith(area) for p in table.parameters}
    # Of what is changed nothing is needed.
    known |= {structs.replace(parameter, required=False) for parameter in known}
    assert {p.name for p in {*endpoint.parameters} - known - {*PAGE, ID, ID_IN_QUERY}} == set()


@pytest.mark.parametrize("endpoint", ENDPOINTS, ids=lambda e: f"{e.methods[0]} {e.path}")
def test_summary_of_an_endpoint_is_its_line_in_the_documentation(endpoint: Endpoint) -> None:
    lines = [line for page in API_PAGES for line in page.read_text().splitlines()]
    rows = [line for line in lines if line.startswith("|") and f"`{endpoint.path}`" in line]
    assert [row for row in rows if endpoint.summary in row] != []


def test_every_decision_is_listed_with_its_title() -> None:
    folder = DOCS / "decisions"
    titles = {page.name: page.read_text().split("\n", 1)[0] for page in folder.glob("0*.md")}
    listed = re.findall(
        r"^\| \[(\d{4})\]\((.*?)\) \| (.*?) \|", (folder / "README.md").read_text(), re.M
    )
    assert {name: f"# {number}: {title}" for number, name, title in listed} == titles
