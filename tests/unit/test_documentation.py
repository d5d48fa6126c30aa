"""The documentation names every setting and every route."""

import importlib
import pkgutil
import re
from pathlib import Path

import pytest
from starlette.routing import Route

from edgar_search import web
from edgar_search.settings import VARIABLE_PREFIX, Settings

DOCS = Path(__file__).parents[2] / "docs"
VARIABLES = [VARIABLE_PREFIX + name.upper() for name in Settings.__struct_fields__]


def routes() -> list[Route]:
    modules = [
        importlib.import_module(module.name)
        for module in pkgutil.walk_packages(web.__path__, web.__name__ + ".")
    ]
    found = [getattr(module, "routes", []) for module in modules]
    # A dialect's package has a module of that name.
    return [route for routes in found if isinstance(routes, list) for route in routes]


PATHS = sorted({route.path for route in routes()})


@pytest.mark.parametrize("variable", VARIABLES)
def test_setting_has_a_line_in_the_documentation(variable: str) -> None:
    lines = (DOCS / "settings.md").read_text().splitlines()
    assert [line for line in lines if re.search(rf"\b{variable}\b", line)] != []


def test_every_setting_in_the_documentation_exists() -> None:
    named = re.findall(rf"{VARIABLE_PREFIX}[A-Z_]+", (DOCS / "settings.md").read_text())
    known = {*VARIABLES, *(name for name in named if name.startswith(VARIABLE_PREFIX + "TEST_"))}
    assert set(named) - known == set()


def test_routes_are_found() -> None:
    assert {"/v1/lookup", "/v1/search", "/health/live", "/health/ready"} <= set(PATHS)


@pytest.mark.parametrize("path", PATHS)
def test_route_has_a_mention_in_the_documentation(path: str) -> None:
    assert re.search(rf"{re.escape(path)}(?![\w/-])", (DOCS / "api.md").read_text())
