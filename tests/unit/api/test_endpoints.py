"""Declared endpoints are the served ones, and can be read."""

import re
from collections.abc import Iterable, Iterator

import pytest

from edgar_search.api.parameters.declaration import Endpoint, Parameter
from edgar_search.api.scopes import PAGE_CALLS, SCOPES
from edgar_search.web import operations
from edgar_search.web.endpoints import ENDPOINTS
from edgar_search.web.endpoints import routes as endpoint_routes
from edgar_search.web.openapi import routes as openapi
from tests.support.engines import CHECKOUT

ROUTES = [*endpoint_routes, *operations.routes, *openapi.routes]


def name_of(endpoint: Endpoint) -> str:
    return f"{'-'.join(endpoint.methods)} {endpoint.path}"


def with_fields(parameters: Iterable[Parameter]) -> Iterator[Parameter]:
    for parameter in parameters:
        yield parameter
        yield from with_fields(parameter.fields)


PARAMETERS = [(name_of(e), p) for e in ENDPOINTS for p in with_fields(e.parameters)]


def test_every_route_is_declared_and_every_declaration_is_served() -> None:
    served = {
        (method, route.path)
        for route in ROUTES
        for method in route.methods or ()
        if method != "HEAD"
    }
    declared = [(method, endpoint.path) for endpoint in ENDPOINTS for method in endpoint.methods]
    assert sorted(declared) == sorted(served)


def test_every_endpoint_that_needs_a_key_has_a_scope() -> None:
    scopes = [endpoint.scope for endpoint in ENDPOINTS if endpoint.credential == "key"]
    # EDGAR's own paths and files are not declared as our operations are.
    assert sorted([*scopes, "efts", "mirror", "sets"]) == sorted(SCOPES)


def test_history_can_be_asked_for_every_page_that_is_a_call() -> None:
    routes = (CHECKOUT / "src/edgar_search/web/pages/routes.py").read_text()
    assert set(re.findall(r'page\("(page/[a-z-]+)"', routes)) == set(PAGE_CALLS)


@pytest.mark.parametrize("endpoint", ENDPOINTS, ids=name_of)
def test_name_stands_for_one_parameter(endpoint: Endpoint) -> None:
    names = [name for parameter in endpoint.parameters for name in parameter.all_spellings]
    assert len(names) == len(set(names))


@pytest.mark.parametrize(("endpoint", "parameter"), PARAMETERS, ids=str)
def test_declaration_agrees_with_itself(endpoint: str, parameter: Parameter) -> None:
    assert parameter.description
    assert bool(parameter.choices) or parameter.kind != "choice"
    assert not parameter.choices or parameter.kind in ("choice", "list")
    assert bool(parameter.fields) == (parameter.kind == "object")
    assert not (parameter.required and parameter.default is not None)
    if parameter.kind == "integer":
        assert isinstance(parameter.default, int)
        assert parameter.least is None or parameter.least <= parameter.default
        assert parameter.most is None or parameter.default <= parameter.most
    if parameter.kind == "choice" and parameter.default is not None:
        assert parameter.default in parameter.choices
    if parameter.kind == "flag":
        assert isinstance(parameter.default, bool)
